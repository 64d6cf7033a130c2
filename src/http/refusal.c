/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "http/refusal.h"

const char *refusal_name(enum refusal refusal)
{
	static const char *const names[REFUSAL_COUNT] = {
		[REFUSAL_TLS_HANDSHAKE] = "tls-handshake",
		[REFUSAL_TLS_RECORD] = "tls-record",
		[REFUSAL_HANDSHAKE_TIMEOUT] = "handshake-timeout",
		[REFUSAL_HEADER_TIMEOUT] = "header-timeout",
		[REFUSAL_BODY_TIMEOUT] = "body-timeout",
		[REFUSAL_SEND_TIMEOUT] = "send-timeout",
		[REFUSAL_HEADER_SIZE] = "header-size",
		[REFUSAL_BODY_SIZE] = "body-size",
		[REFUSAL_MALFORMED] = "malformed-request",
		[REFUSAL_METHOD] = "unknown-method",
		[REFUSAL_PATH_LENGTH] = "path-length",
		[REFUSAL_PROTOCOL] = "protocol-error",
		[REFUSAL_PREFACE] = "not-http2",
		[REFUSAL_FLOOD] = "flood",
		[REFUSAL_MEMORY] = "out-of-memory",
	};
	return (unsigned)refusal < REFUSAL_COUNT ? names[refusal] : "unknown";
}
