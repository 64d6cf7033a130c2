/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bounds on what a peer can make a server do. docs/security.md says which attack each of them answers. */
#ifndef VALKYRIE_LIMITS_H
#define VALKYRIE_LIMITS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Durations in ms, sizes in bytes. The numbers L1 to L14 are those of docs/security.md. */
struct valk_limits {
	uint32_t handshake_timeout_ms; /* L1: accept to TLS and HTTP/2 preface done */
	uint32_t idle_timeout_ms;      /* L2: connection without a stream */
	uint32_t header_timeout_ms;    /* L3: first byte of a header block to its end */
	uint32_t body_grace_ms;	       /* L3: after this long a request body must keep `body_rate` */
	uint32_t body_rate;	       /* L3: bytes a second */
	uint32_t send_timeout_ms;      /* L4: a response that makes no progress */
	uint32_t concurrent_streams;   /* L5: per connection */
	uint32_t header_bytes;	       /* L6: header list, counted as RFC 9113 section 6.5.2 does */
	uint32_t header_fields;	       /* L6: fields in a header list */
	uint64_t body_bytes;	       /* request body */
	uint32_t reset_burst;	       /* L7: requests a client may reset unanswered, at once ... */
	uint32_t reset_rate;	       /* ... and a second */
	uint32_t error_burst;	       /* L8: streams a client may make the server reset, at once ... */
	uint32_t error_rate;	       /* ... and a second */
	uint32_t overhead_ratio;       /* L9: a client may send this many times its useful bytes ... */
	uint32_t overhead_bytes;       /* ... and this much beside it; a frame weighs at least 64 bytes */
	uint32_t pings;		       /* L9: PING frames in 10 s */
	uint32_t settings;	       /* L9: SETTINGS frames in 10 s */
	uint32_t queue_frames;	       /* L10: frames waiting to be sent on a connection */
	uint32_t queue_acks;	       /* L11: acknowledgements among them */
	uint32_t settings_entries;     /* L11: entries of one SETTINGS frame */
	uint32_t continuations;	       /* L11: CONTINUATION frames of one header block */
	uint32_t connections;	       /* L13: per worker; 0: as the descriptor limit allows */
	uint32_t handshake_bytes;      /* L14: received before the TLS handshake is done */
	uint32_t empty_records;	       /* L14: TLS records in a row that bring no data */
};

/* Fills in the defaults. Any thread. */
void valk_limits_init(struct valk_limits *limits);

#ifdef __cplusplus
}
#endif
#endif
