/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Why a connection, stream or request was refused: one name for the counter and for the log line. */
#ifndef HTTP_REFUSAL_H
#define HTTP_REFUSAL_H

#include <stddef.h>
#include <stdint.h>

enum refusal {
	REFUSAL_TLS_HANDSHAKE,	   /* the TLS handshake failed */
	REFUSAL_TLS_RECORD,	   /* a TLS record was broken after the handshake */
	REFUSAL_TLS_BYTES,	   /* L14: too many bytes before the handshake was done */
	REFUSAL_TLS_EMPTY,	   /* L14: too many records without data */
	REFUSAL_HANDSHAKE_TIMEOUT, /* L1: no TLS and HTTP/2 preface in time */
	REFUSAL_IDLE,		   /* L2: no request for a while; an ordinary end */
	REFUSAL_HEADER_TIMEOUT,	   /* L3: a header block did not end in time */
	REFUSAL_BODY_TIMEOUT,	   /* L3: a request body came too slowly */
	REFUSAL_SEND_TIMEOUT,	   /* L4: a response made no progress */
	REFUSAL_STREAMS,	   /* L5: more concurrent streams than announced */
	REFUSAL_HEADER_SIZE,	   /* L6: header list too large or too many fields */
	REFUSAL_BODY_SIZE,	   /* a request body above the limit */
	REFUSAL_PATH_LENGTH,	   /* a path above the limit */
	REFUSAL_MALFORMED,	   /* a request that breaks HTTP semantics */
	REFUSAL_METHOD,		   /* a method nobody implements */
	REFUSAL_PROTOCOL,	   /* a frame that breaks RFC 9113 */
	REFUSAL_PREFACE,	   /* the first bytes were not HTTP/2 */
	REFUSAL_CLIENT_RESETS,	   /* L7: requests reset before their answer */
	REFUSAL_STREAM_ERRORS,	   /* L8: streams the client made us reset */
	REFUSAL_OVERHEAD,	   /* L9: many bytes or frames for little use */
	REFUSAL_PINGS,		   /* L9 */
	REFUSAL_SETTINGS,	   /* L9 and L11: SETTINGS frames, entries of one */
	REFUSAL_QUEUE,		   /* L10 and L11: frames or acknowledgements the client does not take */
	REFUSAL_CONTINUATIONS,	   /* L11: CONTINUATION frames of one header block */
	REFUSAL_CONNECTIONS,	   /* L13: the worker is full, or descriptors ran out; clients wait in the kernel */
	REFUSAL_MEMORY,		   /* an allocation failed */
	REFUSAL_COUNT,
};

/* Short name of a refusal, for counters and log lines; NULL from REFUSAL_COUNT on. Static storage; any thread. */
const char *refusal_name(enum refusal refusal);

/* Writes "`what`: `value`, limit `limit`" to `text`: how a log line names a limit that was passed.
 * Any thread. */
void refusal_describe_limit(char *text, size_t size, const char *what, uint64_t value, uint64_t limit);

#endif
