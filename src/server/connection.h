/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The one place that holds a descriptor, a TLS session and a protocol together. Used by its worker's thread only. */
#ifndef SERVER_CONNECTION_H
#define SERVER_CONNECTION_H

#include "http2/http2_session.h"
#include "server/worker.h"
#include "tls/tls_session.h"

struct connection;

/* How bytes between socket and protocol are transformed. */
struct transport {
	/* Takes what was received and delivers the plaintext to the protocol (connection_deliver). VALK_OK, or why the
	 * connection must end. */
	enum valk_error (*receive)(struct connection *connection, const uint8_t *bytes, size_t length);
	/* Lets the protocol produce into the worker's output until a batch is full or nothing is left. */
	enum valk_error (*produce)(struct connection *connection);
	/* Appends the transport's own farewell to the output. */
	void (*shutdown)(struct connection *connection);
	/* Frees what the transport holds. */
	void (*dispose)(struct connection *connection);
};

extern const struct transport transport_plain;
extern const struct transport transport_tls;

enum connection_state {
	CONNECTION_OPEN,
	CONNECTION_CLOSING, /* the farewell waits to be sent */
	CONNECTION_LINGER,  /* all sent; the peer may still read */
};

struct connection {
	ev_io watcher;
	struct worker *worker;
	const struct transport *transport;
	struct http2_session *http2; /* NULL until the transport is ready */
	struct tls_session tls;	     /* zero without TLS */
	struct timeout_entry timeout;
	struct buffer backlog; /* bytes the socket did not take; its storage is an output buffer, or NULL */
	uint64_t sent_ms;      /* when the socket last took bytes of the backlog */
	struct address peer;
	uint32_t refused;	/* bits of enum refusal that were logged */
	int32_t last_stream_id; /* to see whether a wake-up brought a request */
	uint8_t state;		/* enum connection_state */
	uint8_t waiting;	/* enum waiting */
	bool wants_write;	/* the watcher includes EV_WRITE */
};

/* Takes over an accepted `descriptor`. When out of memory it is closed and nothing else happens. */
void connection_open(struct worker *worker, int descriptor, const struct address *peer);

/* The timeout of `entry`, a member of a connection, came. */
void connection_on_timeout(struct timeout_entry *entry);

/* Begins the graceful end of the connection `entry` belongs to. It may be destroyed by this. */
void connection_drain(struct timeout_entry *entry);

/* Destroys the connection `entry` belongs to at once. Returns the streams that were open. */
uint32_t connection_cut(struct timeout_entry *entry);

/* For transports: hands plaintext to the protocol. */
enum valk_error connection_deliver(struct connection *connection, const uint8_t *bytes, size_t length);

/* For transports: creates the protocol session. VALK_ERROR_MEMORY. */
enum valk_error connection_start_protocol(struct connection *connection);

/* Counts why something of this connection is refused; logs the first of each kind. `stream_id` 0: all of it. */
void connection_refuse(struct connection *connection, enum refusal refusal, int32_t stream_id, const char *detail);

/* The same for a limit that the whole connection passed: "`what`: `value`, limit `limit`". */
void connection_refuse_limit(struct connection *connection, enum refusal refusal, const char *what, uint64_t value,
			     uint64_t limit);

#endif
