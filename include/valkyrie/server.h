/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A server: listeners, worker threads and their life. */
#ifndef VALKYRIE_SERVER_H
#define VALKYRIE_SERVER_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "valkyrie/error.h"
#include "valkyrie/http.h"
#include "valkyrie/limits.h"
#include "valkyrie/log.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { VALK_HOSTS_MAX = 16, VALK_WORKERS_MAX = 1024, VALK_REFUSALS_MAX = 32 };

/* Read while the server is created; strings and arrays may be freed afterwards. */
struct valk_config {
	const char *hosts[VALK_HOSTS_MAX]; /* numeric addresses; none: every IPv4 and IPv6 address */
	size_t host_count;
	uint16_t port;		      /* 0 lets the system choose */
	bool tls;		      /* false: HTTP/2 in cleartext with prior knowledge (RFC 9113 section 3.3) */
	const char *certificate_file; /* PEM, leaf first; with `tls` */
	const char *key_file;	      /* PEM; with `tls` */
	unsigned workers;	      /* threads; 0: one a usable CPU */
	const char *server_name;      /* value of the server field; NULL leaves it out */
	struct valk_limits limits;
	struct valk_handler handler;
	int log_descriptor; /* -1: no log; stays the caller's */
	enum valk_log_level log_level;
	bool log_timestamps;
};

struct valk_server;

/* The libraries this one stands on. */
struct valk_library_info {
	char tls[32];		   /* name and version */
	char tls_acceleration[64]; /* code paths in use on this CPU */
	char http2[32];
};

/* What a running server is, for a banner or a status page. Text and numbers are copies. */
struct valk_server_info {
	unsigned workers;
	unsigned cpus;		  /* usable ones */
	uint32_t connections_max; /* per worker */
	size_t url_count;
	char urls[VALK_HOSTS_MAX][96];
	char certificate_subject[128]; /* "" without TLS */
	char certificate_key[80];
	time_t certificate_not_after; /* seconds since 1970 */
};

/* Sums over all workers. Read while they run, each number is a moment's. */
struct valk_server_counters {
	uint64_t connections_accepted;
	uint64_t connections_open;
	uint64_t handshakes;
	uint64_t handshakes_resumed;
	uint64_t requests;
	uint64_t responses[6]; /* by the first digit of the status */
	uint64_t body_bytes;
	uint64_t refusals;				/* of every kind but idle connections */
	uint64_t refusals_by_reason[VALK_REFUSALS_MAX]; /* named by valk_refusal_name */
	uint64_t cut_connections;			/* still open when a drain's deadline came */
	uint64_t cut_streams;
};

/* Fills `config` with the defaults: all addresses, port 8080, cleartext, one worker a CPU, every limit. Any thread. */
void valk_config_init(struct valk_config *config);

/* Checks everything that can be checked without opening a socket: ranges, addresses, files, certificate and key, and an
 * in-memory TLS handshake. VALK_ERROR_USAGE, VALK_ERROR_CONFIG or VALK_ERROR_MEMORY with a diagnostic. One thread. */
enum valk_error valk_config_check(const struct valk_config *config, struct valk_diagnostic *diagnostic);

/* Checks the configuration, reads every file and opens every listener. Nothing is served yet and no thread exists: the
 * place to give up rights. On success the caller owns `*server`. Errors as valk_config_check, and VALK_ERROR_SYSTEM.
 * Call before other threads exist: wolfSSL's globals are made. */
enum valk_error valk_server_create(const struct valk_config *config, struct valk_server **server,
				   struct valk_diagnostic *diagnostic);

/* Starts the log and the workers with all signals blocked, and returns when each accepts connections. Once.
 * VALK_ERROR_SYSTEM or VALK_ERROR_MEMORY with a diagnostic; then only destroy is left to call. The thread that created
 * the server. */
enum valk_error valk_server_start(struct valk_server *server, struct valk_diagnostic *diagnostic);

/* Ends gracefully: no new connections, GOAWAY to the open ones, running requests are finished. What is still open after
 * `deadline_ms` is cut. Returns at once. Any thread. */
void valk_server_drain(struct valk_server *server, uint32_t deadline_ms);

/* Ends at once: every connection is closed. Returns at once. Any thread. */
void valk_server_stop(struct valk_server *server);

/* A descriptor that becomes readable when all workers have ended. The server's; do not close. */
int valk_server_done_descriptor(const struct valk_server *server);

/* Replaces the session ticket key when it is due. Call about once an hour. Any one thread. */
void valk_server_rotate_tickets(struct valk_server *server);

/* True when the TLS library of this build opens /dev/urandom whenever it needs random numbers: who confines the process
 * must keep that file reachable. Forks a child to find out; call before threads exist. */
bool valk_library_reads_random_device(void);

/* Describes the libraries. Any thread, at any time. */
void valk_library_describe(struct valk_library_info *info);

/* Describes the server. Any thread, after create. */
void valk_server_describe(const struct valk_server *server, struct valk_server_info *info);

/* Sums the workers' counters. Any thread, after start. */
void valk_server_count(const struct valk_server *server, struct valk_server_counters *counters);

/* Short name of a reason, such as "header-timeout", for an index of `refusals_by_reason`; NULL behind the last. Static
 * storage; any thread. */
const char *valk_refusal_name(unsigned reason);

/* Writes one line to the server's log. Never blocks on the device. Any thread. */
void valk_server_log(struct valk_server *server, enum valk_log_level level, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Stops the workers if they run, waits for them, and frees everything. NULL is allowed. */
void valk_server_destroy(struct valk_server *server);

#ifdef __cplusplus
}
#endif
#endif
