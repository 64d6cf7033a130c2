/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Why a connection, stream or request was refused: one name for the counter and for the log line. */
#ifndef HTTP_REFUSAL_H
#define HTTP_REFUSAL_H

enum refusal {
	REFUSAL_TLS_HANDSHAKE,	   /* the TLS handshake failed */
	REFUSAL_TLS_RECORD,	   /* a TLS record was broken after the handshake */
	REFUSAL_HANDSHAKE_TIMEOUT, /* L1: no TLS and HTTP/2 preface in time */
	REFUSAL_HEADER_TIMEOUT,	   /* L3: a header block did not end in time */
	REFUSAL_BODY_TIMEOUT,	   /* L3: a request body came too slowly */
	REFUSAL_SEND_TIMEOUT,	   /* L4: a response made no progress */
	REFUSAL_HEADER_SIZE,	   /* L6: header list too large or too many fields */
	REFUSAL_BODY_SIZE,	   /* a request body above the limit */
	REFUSAL_MALFORMED,	   /* a request that breaks HTTP semantics */
	REFUSAL_METHOD,		   /* a method nobody implements */
	REFUSAL_PATH_LENGTH,	   /* a path above the limit */
	REFUSAL_PROTOCOL,	   /* a frame that breaks RFC 9113 */
	REFUSAL_PREFACE,	   /* the first bytes were not HTTP/2 */
	REFUSAL_FLOOD,		   /* L7, L10, L11: nghttp2 or its queue saw a flood */
	REFUSAL_MEMORY,		   /* an allocation failed */
	REFUSAL_COUNT,
};

/* Short name of a refusal, for counters and log lines. Static storage; any thread. */
const char *refusal_name(enum refusal refusal);

#endif
