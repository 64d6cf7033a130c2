/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One HTTP/2 connection (RFC 9113) as a pair of byte streams: received bytes in, bytes to send out. No socket, loop or
 * clock: the time is handed in. Used by its context's thread only. */
#ifndef HTTP2_SESSION_H
#define HTTP2_SESSION_H

#include "http2/http2_context.h"

struct http2_session;

/* Creates a session and queues its SETTINGS. `owner` is passed to the observer. NULL when out of memory. The caller
 * destroys it. `now_ms` here and below is the monotonic time. */
struct http2_session *http2_session_create(struct http2_context *context, void *owner, uint64_t now_ms);

/* Frees the session and all its streams; nothing is sent any more. NULL is allowed. */
void http2_session_destroy(struct http2_session *session);

/* Takes received bytes; requests are handled and responses queued inside. VALK_OK, also when the peer broke the
 * protocol and a GOAWAY is queued (then http2_session_is_finished turns true once it is produced).
 * VALK_ERROR_PROTOCOL, VALK_ERROR_LIMIT, VALK_ERROR_MEMORY: produce once more, then close. */
enum valk_error http2_session_receive(struct http2_session *session, const uint8_t *bytes, size_t length,
				      uint64_t now_ms) __attribute__((warn_unused_result));

/* Writes up to `capacity` bytes of frames to `out` and sets `*length`; fewer than `capacity` means that nothing more is
 * ready. VALK_ERROR_MEMORY or VALK_ERROR_PROTOCOL: close. */
enum valk_error http2_session_produce(struct http2_session *session, uint8_t *out, size_t capacity, size_t *length,
				      uint64_t now_ms) __attribute__((warn_unused_result));

/* True when http2_session_produce would write something. */
bool http2_session_wants_write(const struct http2_session *session);

/* True when neither side has anything left to say: close. */
bool http2_session_is_finished(const struct http2_session *session);

/* True while no stream is open and no header block is on its way. */
bool http2_session_is_idle(const struct http2_session *session);

/* True once the client's first SETTINGS arrived (RFC 9113 section 3.4). */
bool http2_session_is_established(const struct http2_session *session);

/* Streams open now. */
uint32_t http2_session_stream_count(const struct http2_session *session);

/* Highest stream identifier the client has used; it grows with every request. */
int32_t http2_session_last_stream_id(const struct http2_session *session);

/* Enforces the limits that time brings: a slow header block, a slow request body, a response nobody reads. Call about
 * once a second while the session is not idle. VALK_ERROR_LIMIT: produce once more, then close. */
enum valk_error http2_session_check_timeouts(struct http2_session *session, uint64_t now_ms)
	__attribute__((warn_unused_result));

/* Starts a graceful end (RFC 9113 section 6.8): GOAWAY with the highest stream identifier, and a PING whose
 * acknowledgement, seen by http2_session_receive, brings the second GOAWAY. Running streams go on. Idempotent. */
void http2_session_shutdown_begin(struct http2_session *session);

/* Sends the second GOAWAY now, for a client that does not answer the PING. Idempotent. */
void http2_session_shutdown_finish(struct http2_session *session);

#endif
