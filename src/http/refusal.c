/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "http/refusal.h"

#include <stdio.h>

const char *refusal_name(enum refusal refusal)
{
	static const char *const names[REFUSAL_COUNT] = {
		[REFUSAL_TLS_HANDSHAKE] = "tls-handshake",
		[REFUSAL_TLS_RECORD] = "tls-record",
		[REFUSAL_TLS_BYTES] = "tls-bytes",
		[REFUSAL_TLS_EMPTY] = "tls-empty-records",
		[REFUSAL_HANDSHAKE_TIMEOUT] = "handshake-timeout",
		[REFUSAL_IDLE] = "idle",
		[REFUSAL_HEADER_TIMEOUT] = "header-timeout",
		[REFUSAL_BODY_TIMEOUT] = "body-timeout",
		[REFUSAL_SEND_TIMEOUT] = "send-timeout",
		[REFUSAL_STREAMS] = "streams",
		[REFUSAL_HEADER_SIZE] = "header-size",
		[REFUSAL_BODY_SIZE] = "body-size",
		[REFUSAL_PATH_LENGTH] = "path-length",
		[REFUSAL_MALFORMED] = "malformed-request",
		[REFUSAL_METHOD] = "unknown-method",
		[REFUSAL_PROTOCOL] = "protocol-error",
		[REFUSAL_PREFACE] = "not-http2",
		[REFUSAL_CLIENT_RESETS] = "client-resets",
		[REFUSAL_STREAM_ERRORS] = "stream-errors",
		[REFUSAL_OVERHEAD] = "overhead",
		[REFUSAL_PINGS] = "pings",
		[REFUSAL_SETTINGS] = "settings",
		[REFUSAL_QUEUE] = "queue",
		[REFUSAL_CONTINUATIONS] = "continuations",
		[REFUSAL_CONNECTIONS] = "connections",
		[REFUSAL_MEMORY] = "out-of-memory",
	};
	return (unsigned)refusal < REFUSAL_COUNT ? names[refusal] : NULL;
}

void refusal_describe_limit(char *text, size_t size, const char *what, uint64_t value, uint64_t limit)
{
	snprintf(text, size, "%s: %llu, limit %llu", what, (unsigned long long)value, (unsigned long long)limit);
}
