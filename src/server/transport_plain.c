/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Cleartext: the protocol reads the worker's input and writes its output directly. */
#include "server/connection.h"

static enum valk_error receive(struct connection *connection, const uint8_t *bytes, size_t length)
{
	if (connection->http2 == NULL && connection_start_protocol(connection) != VALK_OK)
		return VALK_ERROR_MEMORY;
	return connection_deliver(connection, bytes, length);
}

static enum valk_error produce(struct connection *connection)
{
	struct worker *worker = connection->worker;
	struct buffer *output = &worker->output;
	size_t length = 0;
	if (buffer_length(output) >= OUTPUT_BATCH)
		return VALK_OK;
	enum valk_error error = http2_session_produce(connection->http2, buffer_tail(output),
						      OUTPUT_BATCH - buffer_length(output), &length, worker->now_ms);
	buffer_commit(output, length);
	return error;
}

static void do_nothing(struct connection *connection)
{
	(void)connection;
}

const struct transport transport_plain = {receive, produce, .shutdown = do_nothing, .dispose = do_nothing};
