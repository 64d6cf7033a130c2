/* SPDX-License-Identifier: GPL-3.0-or-later */
/* TLS: ciphertext from the worker's input is decrypted record by record; what the protocol produces is gathered into
 * full records and encrypted into the worker's output. */
#include "server/connection.h"

static void refuse_flood(struct connection *connection)
{
	const struct tls_session *tls = &connection->tls;
	if (tls->established)
		connection_refuse_limit(connection, REFUSAL_TLS_EMPTY, "TLS records in a row without data",
					tls->empty_records, tls->context->empty_records_max);
	else
		connection_refuse_limit(connection, REFUSAL_TLS_BYTES, "bytes before the TLS handshake was done",
					tls->handshake_bytes, tls->context->handshake_bytes_max);
}

static enum valk_error fail(struct connection *connection, enum valk_error error)
{
	char reason[128];
	if (error == VALK_ERROR_LIMIT) {
		refuse_flood(connection);
	} else if (error == VALK_ERROR_TLS) {
		tls_session_failure(&connection->tls, reason, sizeof(reason));
		connection_refuse(connection, connection->tls.established ? REFUSAL_TLS_RECORD : REFUSAL_TLS_HANDSHAKE,
				  0, reason);
	}
	return error;
}

static enum valk_error on_established(struct connection *connection)
{
	struct worker_counters *counters = &connection->worker->counters;
	counter_add(&counters->handshakes, 1);
	if (tls_session_is_resumed(&connection->tls))
		counter_add(&counters->handshakes_resumed, 1);
	return connection_start_protocol(connection);
}

static enum valk_error receive(struct connection *connection, const uint8_t *bytes, size_t length)
{
	struct worker *worker = connection->worker;
	enum valk_error error;
	tls_session_feed(&connection->tls, bytes, length);
	do {
		size_t count;
		error = tls_session_read(&connection->tls, worker->plaintext, sizeof(worker->plaintext), &count);
		if (connection->tls.established && connection->http2 == NULL && on_established(connection) != VALK_OK)
			return VALK_ERROR_MEMORY;
		if (error == VALK_OK)
			error = connection_deliver(connection, worker->plaintext, count);
		else if (error != VALK_ERROR_AGAIN)
			error = fail(connection, error);
	} while (error == VALK_OK);
	return error == VALK_ERROR_AGAIN ? VALK_OK : error;
}

static enum valk_error produce(struct connection *connection)
{
	struct worker *worker = connection->worker;
	enum valk_error error = VALK_OK;
	size_t length = TLS_RECORD_PLAINTEXT_MAX;
	while (error == VALK_OK && length == TLS_RECORD_PLAINTEXT_MAX &&
	       buffer_length(&worker->output) < OUTPUT_BATCH) {
		error = http2_session_produce(connection->http2, worker->plaintext, TLS_RECORD_PLAINTEXT_MAX, &length,
					      worker->now_ms);
		if (length > 0 && tls_session_seal(&connection->tls, worker->plaintext, length) != VALK_OK)
			error = fail(connection, VALK_ERROR_TLS);
	}
	return error;
}

static void say_goodbye(struct connection *connection)
{
	tls_session_shutdown(&connection->tls);
}

static void dispose(struct connection *connection)
{
	tls_session_dispose(&connection->tls);
}

const struct transport transport_tls = {receive, produce, say_goodbye, dispose};
