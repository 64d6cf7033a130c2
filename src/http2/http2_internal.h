/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The insides of a session, shared by the files of this folder only. */
#ifndef HTTP2_INTERNAL_H
#define HTTP2_INTERNAL_H

#include "base/list.h"
#include "base/rate.h"
#include "http2/frame_scanner.h"
#include "http2/http2_session.h"

enum {
	SKIPPED_RANGES_MAX = 8,	  /* a client that skips identifiers does so once or twice */
	ENDED_IDS_MAX = 16,	  /* streams the client finished, remembered to see frames it must not send any more */
	CONTENT_LENGTH_SIZE = 20, /* digits of a 64-bit number */
	SETTINGS_ENTRY_SIZE = 6,  /* bytes, RFC 9113 section 6.5.1 */
};

/* One request and its response. Invariant: linked in its session's `streams` from begin to close. */
struct http2_stream {
	struct list node;
	struct http2_session *session;
	const struct valk_response *response; /* what the handler returned; NULL until then */
	uint64_t body_offset;		      /* bytes of the response body already produced */
	uint64_t received_bytes;	      /* of the request body */
	uint64_t started_ms;		      /* when the head was complete */
	uint64_t progress_ms;		      /* when the response last advanced */
	int32_t id;
	bool request_ended;  /* END_STREAM or RST_STREAM received: the client may send nothing more here */
	bool is_head;	     /* the response has no content (RFC 9110 section 9.3.2) */
	bool response_ended; /* END_STREAM sent */
	bool submitted;	     /* the response is nghttp2's now */
	uint8_t length_size; /* digits in `length_text` */
	char length_text[CONTENT_LENGTH_SIZE];
};

/* Identifiers from `first` to `last` that the client passed over: implicitly closed, never to be opened (RFC 9113
 * section 5.1.1). */
struct id_range {
	int32_t first;
	int32_t last;
};

/* What is produced but found no room in the caller's buffer. */
struct unsent {
	uint8_t frame_header[FRAME_HEADER_SIZE];
	size_t header_length; /* bytes of `frame_header` left, at its end */
	const uint8_t *bytes;
	size_t length;
	const struct valk_response *held; /* released once `bytes`, part of its body, are copied; or NULL */
};

/* What a client has sent lately beside requests. */
struct http2_flood {
	struct rate_bucket client_resets; /* L7 */
	struct rate_bucket stream_errors; /* L8 */
	uint64_t received_bytes;	  /* L9: weight of all frames */
	uint64_t useful_bytes;		  /* weight of requests, and bodies in both directions */
	uint64_t window_ms;		  /* when the counting window began */
	uint32_t pings;			  /* in this window */
	uint32_t settings;		  /* in this window */
	uint32_t continuations;		  /* of the header block in progress */
	uint32_t errors_foreseen;	  /* stream errors counted on arrival whose RST_STREAM is not sent yet */
};

struct http2_session {
	nghttp2_session *nghttp2;
	struct http2_context *context;
	void *owner;
	struct list streams;
	uint32_t stream_count;
	struct request_head *head;	  /* of the header block in progress; NULL between blocks */
	struct http2_stream *head_stream; /* whose head it is; NULL exactly when `head` is */
	uint64_t head_started_ms;
	uint64_t now_ms; /* time of the call in progress */

	uint8_t *out; /* during http2_session_produce: the caller's buffer */
	size_t out_capacity;
	size_t out_length;
	struct unsent unsent;

	struct frame_scanner scanner;
	int32_t highest_id; /* of a HEADERS frame from the client */
	uint8_t skipped_count;
	struct id_range skipped[SKIPPED_RANGES_MAX];
	int32_t ended_ids[ENDED_IDS_MAX]; /* a ring; 0 where unused */
	uint8_t ended_next;

	struct http2_flood flood;
	uint32_t fault; /* error code of a GOAWAY to send once nghttp2 has returned, with `has_fault` */
	bool has_fault;
	bool overwhelmed; /* a limit of `flood` is passed: nothing more is served */
	bool established;
	bool shutdown_begun;
	bool shutdown_finished;
};

/* Reports a refusal upward; `stream_id` 0 means the connection. */
void http2_session_refuse(struct http2_session *session, enum refusal refusal, int32_t stream_id, const char *detail);

/* Reports that a limit was passed, as "`what`: `value`, limit `limit`". */
void http2_session_refuse_limit(struct http2_session *session, enum refusal refusal, int32_t stream_id,
				const char *what, uint64_t value, uint64_t limit);

/* Has the connection end with a GOAWAY of `error_code` once nghttp2 has returned. The first fault counts. */
void http2_session_record_fault(struct http2_session *session, uint32_t error_code);

/* Counts a received frame by its header. */
void http2_flood_on_frame(struct http2_session *session, const struct frame_header *header);

/* The header block of a good request weighs something, its frames no longer count as overhead. */
void http2_flood_on_request(struct http2_session *session, size_t header_block_bytes);

/* Body bytes were received for a stream, or sent: useful, and they bring WINDOW_UPDATE frames with them. */
void http2_flood_on_body(struct http2_session *session, size_t length);

/* Compares overhead with use. After nghttp2 has dealt with what was received. */
void http2_flood_check(struct http2_session *session);

/* The client reset a request that was not answered yet (CVE-2023-44487). */
void http2_flood_on_client_reset(struct http2_session *session, int32_t stream_id);

/* The client made us reset a stream (CVE-2025-8671). */
void http2_flood_on_stream_error(struct http2_session *session, int32_t stream_id);

/* Looks at the frame headers in received bytes, before nghttp2 gets them, and records faults. */
void http2_frames_inspect(struct http2_session *session, const uint8_t *bytes, size_t length);

/* The client has finished stream `id`, and it is closed: nothing more may come on it. */
void http2_frames_remember_end(struct http2_session *session, int32_t id);

/* Answers a complete request head, whose HEADERS frame had `frame_bytes` of payload: asks the handler, or refuses.
 * Takes the session's head. */
void http2_request_dispatch(struct http2_session *session, struct http2_stream *stream, size_t frame_bytes);

/* The request's content is complete: a response that waited for it goes out. */
void http2_request_end(struct http2_stream *stream);

/* Gives up the header block in progress, if any, without an answer. */
void http2_request_abandon_head(struct http2_session *session);

/* Counts content and enforces the limit on it. */
void http2_request_receive_body(struct http2_stream *stream, size_t length);

/* Answers with one of our own short responses, unless a response is under way already. */
void http2_response_refuse(struct http2_stream *stream, unsigned status);

/* Hands the stream's response to nghttp2. On failure the stream is reset. */
void http2_response_submit(struct http2_stream *stream);

/* nghttp2's callback for DATA payload that was read with NGHTTP2_DATA_FLAG_NO_COPY. */
int http2_response_send_data(nghttp2_session *nghttp2, nghttp2_frame *frame, const uint8_t *frame_header, size_t length,
			     nghttp2_data_source *source, void *user_data);

/* Gives the stream's response back to its handler, now or once its last bytes are copied. */
void http2_response_release(struct http2_stream *stream);

/* The response for a status the protocol layer itself answers with. Static storage. */
const struct valk_response *http2_status_response(unsigned status);

#endif
