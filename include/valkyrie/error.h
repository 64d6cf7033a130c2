/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Error codes and diagnostics shared by the whole library. */
#ifndef VALKYRIE_ERROR_H
#define VALKYRIE_ERROR_H

#ifdef __cplusplus
extern "C" {
#endif

/* Status of every call that can fail: 0 is success, everything else negative. */
enum valk_error {
	VALK_OK = 0,
	VALK_ERROR_AGAIN = -1,	  /* nothing to do now; call again when more input or room is there */
	VALK_ERROR_MEMORY = -2,	  /* an allocation failed */
	VALK_ERROR_USAGE = -3,	  /* an argument or a configuration value is out of range */
	VALK_ERROR_CONFIG = -4,	  /* a file, certificate or key cannot be used */
	VALK_ERROR_SYSTEM = -5,	  /* the operating system refused */
	VALK_ERROR_TLS = -6,	  /* the peer's TLS is broken or was refused */
	VALK_ERROR_PROTOCOL = -7, /* the peer broke HTTP */
	VALK_ERROR_LIMIT = -8,	  /* the peer passed one of our limits */
	VALK_ERROR_CLOSED = -9,	  /* the peer closed */
};

/* How far an error reaches: what at most is lost when it occurs. */
enum valk_scope {
	VALK_SCOPE_NONE,
	VALK_SCOPE_STREAM,
	VALK_SCOPE_CONNECTION,
	VALK_SCOPE_PROCESS, /* only while starting; nothing a peer sends has this scope */
};

/* One line for a human: what happened, the value, the reason and the fix. */
struct valk_diagnostic {
	char text[768]; /* NUL-terminated, no line feed */
};

/* Name of `error` as a short English phrase. Static storage; any thread. */
const char *valk_error_text(enum valk_error error);

/* What is lost at most when `error` occurs on a running server. Any thread. */
enum valk_scope valk_error_scope(enum valk_error error);

#ifdef __cplusplus
}
#endif
#endif
