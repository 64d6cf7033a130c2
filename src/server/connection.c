/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE
#include "server/connection.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
	FLUSH_ROUNDS_MAX = 8, /* batches sent per wake-up; then other connections have their turn */
};

static struct connection *from_timeout(struct timeout_entry *entry)
{
	return list_entry(entry, struct connection, timeout);
}

static uint32_t stream_count(const struct connection *connection)
{
	return connection->http2 != NULL ? http2_session_stream_count(connection->http2) : 0;
}

/* One line for the life of a connection, with --verbose. */
static void log_event(const struct connection *connection, const char *event)
{
	struct log *log = connection->worker->shared->log;
	char text[ADDRESS_TEXT_SIZE];
	if (!log_wants(log, VALK_LOG_DETAIL))
		return;
	address_format(&connection->peer, text);
	log_write(log, VALK_LOG_DETAIL, "worker %u: %s %s, %u open", connection->worker->index, event, text,
		  connection->worker->connection_count);
}

static void destroy(struct connection *connection)
{
	struct worker *worker = connection->worker;
	log_event(connection, "closes");
	ev_io_stop(worker->loop, &connection->watcher);
	timeout_disarm(&connection->timeout);
	http2_session_destroy(connection->http2);
	connection->transport->dispose(connection);
	output_pool_return(&worker->outputs, &connection->backlog);
	close(connection->watcher.fd);
	slab_free(worker->slab, connection);
	buffer_clear(&worker->output); /* whatever it had just produced goes with it */
	worker_connection_closed(worker);
}

_Static_assert(REFUSAL_COUNT <= 32, "every kind of refusal has a bit");

void connection_refuse(struct connection *connection, enum refusal refusal, int32_t stream_id, const char *detail)
{
	uint32_t bit = UINT32_C(1) << refusal;
	if ((connection->refused & bit) != 0) {
		worker_count_refusal(connection->worker, refusal);
		return;
	}
	connection->refused |= bit;
	worker_refuse(connection->worker, refusal, &connection->peer, stream_id, detail);
}

void connection_refuse_limit(struct connection *connection, enum refusal refusal, const char *what, uint64_t value,
			     uint64_t limit)
{
	char detail[128];
	refusal_describe_limit(detail, sizeof(detail), what, value, limit);
	connection_refuse(connection, refusal, 0, detail);
}

enum valk_error connection_start_protocol(struct connection *connection)
{
	struct worker *worker = connection->worker;
	connection->http2 = http2_session_create(&worker->http2, connection, worker->now_ms);
	if (connection->http2 == NULL) {
		connection_refuse(connection, REFUSAL_MEMORY, 0, "HTTP/2 session");
		return VALK_ERROR_MEMORY;
	}
	if (worker->draining)
		http2_session_shutdown_begin(connection->http2);
	return VALK_OK;
}

enum valk_error connection_deliver(struct connection *connection, const uint8_t *bytes, size_t length)
{
	return http2_session_receive(connection->http2, bytes, length, connection->worker->now_ms);
}

static void watch(struct connection *connection, bool wants_write)
{
	if (connection->wants_write == wants_write)
		return;
	connection->wants_write = wants_write;
	ev_io_stop(connection->worker->loop, &connection->watcher);
	ev_io_set(&connection->watcher, connection->watcher.fd, wants_write ? EV_READ | EV_WRITE : EV_READ);
	ev_io_start(connection->worker->loop, &connection->watcher);
}

/* Sends the front of `buffer`. VALK_OK: all gone; VALK_ERROR_AGAIN: the socket is full; VALK_ERROR_CLOSED: it is dead.
 */
static enum valk_error send_buffer(struct connection *connection, struct buffer *buffer)
{
	while (buffer_length(buffer) > 0) {
		ssize_t count = send(connection->watcher.fd, buffer_head(buffer), buffer_length(buffer), MSG_NOSIGNAL);
		if (count < 0 && errno == EINTR)
			continue;
		if (count < 0)
			return errno == EAGAIN || errno == ENOBUFS || errno == ENOMEM ? VALK_ERROR_AGAIN
										      : VALK_ERROR_CLOSED;
		connection->sent_ms = connection->worker->now_ms;
		size_t whole = buffer_length(buffer);
		buffer_consume(buffer, (size_t)count);
		if ((size_t)count < whole)
			return VALK_ERROR_AGAIN; /* a short count means a full socket: asking again would only say so */
	}
	return VALK_OK;
}

/* Keeps the output as the connection's backlog, by handing over the buffer; the worker gets another. */
static enum valk_error keep_output(struct connection *connection)
{
	struct worker *worker = connection->worker;
	struct buffer *output = &worker->output;
	if (buffer_length(output) == 0)
		return VALK_OK;
	if (buffer_length(&connection->backlog) > 0) {
		/* Only small things come here: TLS answers while the socket is full. */
		bool fits = buffer_append(&connection->backlog, buffer_head(output), buffer_length(output));
		buffer_clear(output);
		return fits ? VALK_OK : VALK_ERROR_LIMIT;
	}
	struct buffer fresh;
	if (!output_pool_take(&worker->outputs, &fresh))
		return VALK_ERROR_MEMORY;
	connection->backlog = *output;
	*output = fresh;
	return VALK_OK;
}

/* Sends what waits, then batches of what the protocol produces, until the socket is full, nothing is left, or the turn
 * is over. VALK_ERROR_AGAIN: more is to be sent when the socket takes it. */
static enum valk_error flush(struct connection *connection)
{
	struct worker *worker = connection->worker;
	for (int round = 0; round < FLUSH_ROUNDS_MAX; round++) {
		enum valk_error sent = send_buffer(connection, &connection->backlog);
		if (sent == VALK_ERROR_AGAIN)
			return keep_output(connection) == VALK_OK ? VALK_ERROR_AGAIN : VALK_ERROR_LIMIT;
		if (sent != VALK_OK)
			return sent;
		if (connection->backlog.data != NULL)
			output_pool_return(&worker->outputs, &connection->backlog);
		if (connection->http2 != NULL && connection->state == CONNECTION_OPEN) {
			enum valk_error produced = connection->transport->produce(connection);
			if (produced != VALK_OK)
				return produced;
		}
		if (buffer_length(&worker->output) == 0)
			return VALK_OK;
		sent = send_buffer(connection, &worker->output);
		if (sent == VALK_ERROR_AGAIN)
			return keep_output(connection) == VALK_OK ? VALK_ERROR_AGAIN : VALK_ERROR_MEMORY;
		if (sent != VALK_OK)
			return sent;
		if (connection->http2 == NULL || !http2_session_wants_write(connection->http2))
			return VALK_OK;
	}
	return VALK_ERROR_AGAIN;
}

/* The class a connection belongs in now. */
static enum waiting choose_waiting(const struct connection *connection)
{
	if (connection->state == CONNECTION_LINGER)
		return WAITING_LINGER;
	if (connection->state == CONNECTION_CLOSING)
		return WAITING_ACTIVE;
	if (connection->http2 == NULL || !http2_session_is_established(connection->http2))
		return WAITING_HANDSHAKE;
	if (buffer_length(&connection->backlog) > 0 || connection->worker->draining ||
	    !http2_session_is_idle(connection->http2))
		return WAITING_ACTIVE;
	return WAITING_IDLE;
}

static void rearm(struct connection *connection)
{
	enum waiting waiting = choose_waiting(connection);
	int32_t stream_id = connection->http2 != NULL ? http2_session_last_stream_id(connection->http2) : 0;
	bool had_request = stream_id != connection->last_stream_id;
	/* An idle connection starts over only when it brought a request: a PING now and then does not keep it. */
	if (waiting == connection->waiting && !(waiting == WAITING_IDLE && had_request))
		return;
	connection->last_stream_id = stream_id;
	connection->waiting = (uint8_t)waiting;
	timeout_arm(&connection->worker->timeouts[waiting], &connection->timeout);
}

/* Everything is sent: tells the peer so and keeps the bare socket a little, because closing one with unread input makes
 * the kernel send RST, which destroys what the peer has not read yet. */
static void linger(struct connection *connection)
{
	connection->state = CONNECTION_LINGER;
	http2_session_destroy(connection->http2);
	connection->http2 = NULL;
	connection->transport->dispose(connection);
	if (shutdown(connection->watcher.fd, SHUT_WR) != 0) {
		destroy(connection);
		return;
	}
	watch(connection, false);
	rearm(connection);
}

/* Ends the connection after what is queued has been sent. */
static void close_gracefully(struct connection *connection)
{
	connection->state = CONNECTION_CLOSING;
	connection->transport->shutdown(connection);
	switch (flush(connection)) {
	case VALK_OK:
		linger(connection);
		break;
	case VALK_ERROR_AGAIN:
		watch(connection, true);
		rearm(connection);
		break;
	default:
		destroy(connection);
		break;
	}
}

/* After every wake-up: sends, and decides what the connection waits for. May destroy it. */
static void settle(struct connection *connection, enum valk_error received)
{
	enum valk_error flushed = flush(connection); /* even after an error: a GOAWAY or an alert may wait */
	if (flushed != VALK_OK && flushed != VALK_ERROR_AGAIN) {
		destroy(connection);
		return;
	}
	if (connection->state == CONNECTION_CLOSING) {
		if (flushed == VALK_OK)
			linger(connection);
		return;
	}
	bool finished = connection->http2 != NULL && http2_session_is_finished(connection->http2);
	if (received != VALK_OK || finished) {
		close_gracefully(connection);
		return;
	}
	watch(connection, flushed == VALK_ERROR_AGAIN);
	rearm(connection);
}

/* Reads once. VALK_ERROR_CLOSED: the peer is gone; otherwise what the transport says of the bytes. */
static enum valk_error receive(struct connection *connection)
{
	struct worker *worker = connection->worker;
	ssize_t count = recv(connection->watcher.fd, worker->input, sizeof(worker->input), 0);
	if (count < 0)
		return errno == EAGAIN || errno == EINTR ? VALK_OK : VALK_ERROR_CLOSED;
	if (count == 0)
		return VALK_ERROR_CLOSED;
	if (connection->state != CONNECTION_OPEN)
		return VALK_OK; /* after our farewell nothing is listened to */
	return connection->transport->receive(connection, worker->input, (size_t)count);
}

static void on_io(struct ev_loop *loop, ev_io *watcher, int events)
{
	(void)loop;
	struct connection *connection = watcher->data;
	enum valk_error received = VALK_OK;
	if ((events & EV_ERROR) != 0)
		received = VALK_ERROR_CLOSED; /* the kernel does not watch it any more */
	else if ((events & EV_READ) != 0)
		received = receive(connection);
	/* The end of the peer's bytes ends the connection: an HTTP/2 client has no use for half of one. */
	if (received == VALK_ERROR_CLOSED || received == VALK_ERROR_MEMORY)
		destroy(connection);
	else if (connection->state != CONNECTION_LINGER)
		settle(connection, received);
}

void connection_open(struct worker *worker, int descriptor, const struct address *peer)
{
	struct connection *connection = slab_allocate_zeroed(worker->slab, 1, sizeof(*connection));
	bool tls = worker->shared->credentials != NULL;
	if (connection == NULL || (tls && tls_session_init(&connection->tls, &worker->tls, "h2") != VALK_OK)) {
		worker_refuse(worker, REFUSAL_MEMORY, peer, 0, "connection");
		slab_free(worker->slab, connection);
		close(descriptor);
		return;
	}
	connection->worker = worker;
	connection->transport = tls ? &transport_tls : &transport_plain;
	connection->peer = *peer;
	connection->sent_ms = worker->now_ms;
	timeout_entry_init(&connection->timeout);
	ev_io_init(&connection->watcher, on_io, descriptor, EV_READ);
	connection->watcher.data = connection;
	ev_io_start(worker->loop, &connection->watcher);
	worker->connection_count++;
	log_event(connection, "accepted");
	counter_add(&worker->counters.accepted, 1);
	connection->waiting = WAITING_HANDSHAKE;
	timeout_arm(&worker->timeouts[WAITING_HANDSHAKE], &connection->timeout);
}

/* For a connection that was in one class, `limit_ms` long, until its time was over. */
static void refuse_late(struct connection *connection, enum refusal refusal, const char *what, uint32_t limit_ms)
{
	uint64_t late_ms = connection->worker->now_ms - connection->timeout.deadline_ms;
	connection_refuse_limit(connection, refusal, what, limit_ms + late_ms, limit_ms);
}

/* L1 */
static void on_handshake_timeout(struct connection *connection)
{
	refuse_late(connection, REFUSAL_HANDSHAKE_TIMEOUT, "ms without TLS and HTTP/2 preface",
		    connection->worker->shared->limits->handshake_timeout_ms);
	destroy(connection);
}

/* L2: says goodbye first, so that the client knows that no request was lost. */
static void on_idle(struct connection *connection)
{
	refuse_late(connection, REFUSAL_IDLE, "ms without a request",
		    connection->worker->shared->limits->idle_timeout_ms);
	http2_session_shutdown_finish(connection->http2);
	settle(connection, VALK_OK);
}

static void on_active_second(struct connection *connection)
{
	struct worker *worker = connection->worker;
	timeout_arm(&worker->timeouts[WAITING_ACTIVE], &connection->timeout);
	if (buffer_length(&connection->backlog) > 0 &&
	    worker->now_ms - connection->sent_ms > worker->shared->limits->send_timeout_ms) {
		connection_refuse_limit(connection, REFUSAL_SEND_TIMEOUT, "ms without the client reading",
					worker->now_ms - connection->sent_ms, worker->shared->limits->send_timeout_ms);
		destroy(connection);
		return;
	}
	if (connection->state != CONNECTION_OPEN)
		return;
	if (worker->draining)
		http2_session_shutdown_finish(
			connection->http2); /* the client did not answer the PING within a second */
	settle(connection, http2_session_check_timeouts(connection->http2, worker->now_ms));
}

void connection_on_timeout(struct timeout_entry *entry)
{
	struct connection *connection = from_timeout(entry);
	switch ((enum waiting)connection->waiting) {
	case WAITING_IDLE:
		on_idle(connection);
		break;
	case WAITING_ACTIVE:
		on_active_second(connection);
		break;
	case WAITING_HANDSHAKE:
		on_handshake_timeout(connection);
		break;
	default:
		destroy(connection);
		break;
	}
}

void connection_drain(struct timeout_entry *entry)
{
	struct connection *connection = from_timeout(entry);
	if (connection->http2 == NULL || connection->state != CONNECTION_OPEN)
		return; /* a handshake goes on and is told to leave when it is done */
	http2_session_shutdown_begin(connection->http2);
	/* A whole second from here until the second GOAWAY comes unasked: a shorter one would refuse requests that the
	 * client sent before it could see the first. */
	connection->waiting = WAITING_ACTIVE;
	timeout_arm(&connection->worker->timeouts[WAITING_ACTIVE], &connection->timeout);
	settle(connection, VALK_OK);
}

uint32_t connection_cut(struct timeout_entry *entry)
{
	struct connection *connection = from_timeout(entry);
	uint32_t streams = stream_count(connection);
	destroy(connection);
	return streams;
}
