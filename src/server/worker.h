/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One worker: a thread, its loop, its listeners and everything its connections share. Nothing here is written by two
 * threads except `commands`. */
#ifndef SERVER_WORKER_H
#define SERVER_WORKER_H

#include <ev.h>
#include <pthread.h>
#include <stdatomic.h>

#include "base/clock.h"
#include "base/log.h"
#include "http2/http2_context.h"
#include "net/address.h"
#include "server/output_pool.h"
#include "server/timeouts.h"
#include "tls/tls_session.h"
#include "valkyrie/server.h"

enum {
	WORKER_ALIGNMENT = 128,	    /* two cache lines: CPUs fetch neighbours in pairs */
	INPUT_CAPACITY = 64 * 1024, /* L12: bytes read from a connection per wake-up */
};

/* What a connection waits for; the timeout classes of a worker. */
enum waiting {
	WAITING_HANDSHAKE, /* L1 */
	WAITING_IDLE,	   /* L2 */
	WAITING_ACTIVE,	   /* looked at once a second: L3, L4 */
	WAITING_LINGER,	   /* closed by us, the peer may still read */
	WAITING_COUNT,
};

enum worker_command { COMMAND_DRAIN = 1, COMMAND_STOP = 2 };

struct worker_counters {
	struct counter accepted;
	struct counter closed;
	struct counter handshakes;
	struct counter handshakes_resumed;
	struct counter refusals[REFUSAL_COUNT];
	struct counter cut_connections;
	struct counter cut_streams;
};

/* What every worker of a server shares; immutable while they run, except the ticket keys and the log, which are safe
 * to use from any thread. */
struct worker_shared {
	const struct valk_limits *limits;
	const struct tls_credentials *credentials; /* NULL: cleartext */
	struct tls_ticket_keys *tickets;
	struct valk_handler handler;
	const char *server_name;
	struct log *log;
	uint32_t connections_max;     /* L13, per worker */
	void (*on_end)(void *server); /* called by each worker as its last act */
	void *server;
};

/* A listener of a worker. */
struct worker_listener {
	ev_io watcher;
	int descriptor;
};

struct worker {
	_Alignas(WORKER_ALIGNMENT) const struct worker_shared *shared;
	unsigned index;
	pthread_t thread;
	bool thread_started; /* must be joined */
	bool serving;	     /* set up, so that it takes commands */

	struct ev_loop *loop;
	/* An eventfd of our own instead of ev_async, whose watcher libev keeps to itself: were the kernel to refuse it,
	 * no command would ever arrive. */
	ev_io wake;
	int wake_descriptor;
	ev_check after_poll;
	ev_timer accept_rest;	 /* running while the listeners rest after a failure */
	ev_timer drain_deadline; /* running while draining */
	struct worker_listener listeners[VALK_HOSTS_MAX];
	size_t listener_count;
	_Atomic unsigned commands;	    /* bits of enum worker_command, set by other threads */
	_Atomic uint32_t drain_deadline_ms; /* set before COMMAND_DRAIN */

	struct slab *slab;
	struct tls_context tls;
	struct http2_context http2;
	struct output_pool outputs;
	struct buffer output; /* empty between connections */
	struct timeout_class timeouts[WAITING_COUNT];
	uint64_t now_ms;      /* monotonic, of this turn of the loop */
	uint64_t date_due_ms; /* when `date` is renewed */
	char date[HTTP_DATE_LENGTH + 1];
	uint32_t connection_count;
	bool accepting;
	bool draining;
	uint32_t log_budget; /* lines that refusals may still write in this second */
	struct worker_counters counters;

	uint8_t input[INPUT_CAPACITY];
	uint8_t plaintext[TLS_RECORD_PLAINTEXT_MAX]; /* one record, received or to be sealed */
};

/* Prepares a worker with its `listener_count` listening descriptors, which it closes. Main thread. */
void worker_init(struct worker *worker, const struct worker_shared *shared, unsigned index, const int descriptors[],
		 size_t listener_count);

/* Body of the thread: sets up, reports through `ready` (once, with an error or VALK_OK), and serves until told to end.
 * Runs on the worker's own thread. */
void worker_run(struct worker *worker, void (*ready)(void *context, enum valk_error error), void *context);

/* Closes what commands are sent through; when the thread has been joined. Main thread. */
void worker_dispose(struct worker *worker);

/* Sends a command; it takes effect at the worker's next turn. Any thread. */
void worker_command(struct worker *worker, enum worker_command command);

/* A connection of this worker is gone: accepting may resume, and a drain may be over. The worker's thread. */
void worker_connection_closed(struct worker *worker);

/* Counts a refusal that needs no line. The worker's thread. */
void worker_count_refusal(struct worker *worker, enum refusal refusal);

/* Counts a refusal and logs it, within the second's budget. `peer` NULL: clients in general. The worker's thread. */
void worker_refuse(struct worker *worker, enum refusal refusal, const struct address *peer, int32_t stream_id,
		   const char *detail);

#endif
