/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One TLS connection as a filter: ciphertext in and out through the context's `tls_io`, plaintext in and out by call.
 * No socket, no loop, no clock. Used by its context's thread only. */
#ifndef TLS_SESSION_H
#define TLS_SESSION_H

#include <stdbool.h>

#include "tls/tls_context.h"

struct WOLFSSL;

enum {
	TLS_RECORD_PLAINTEXT_MAX = 16384, /* RFC 8446 section 5.1 */
	TLS_RECORD_OVERHEAD_MAX = 64,	  /* header, nonce or content type, and tag, rounded up */
};

struct tls_session {
	struct WOLFSSL *wolfssl;
	struct tls_context *context;
	uint32_t handshake_bytes; /* L14: taken until established */
	uint32_t empty_records;	  /* L14: begun since the last one that brought data */
	uint32_t record_left;	  /* bytes of the record in progress that are still to come */
	uint32_t record_header;	  /* its last bytes */
	uint8_t record_header_length;
	uint8_t ticket_generation; /* that of the ticket it resumed with, plus one; 0 after a full handshake */
	bool established;	   /* the handshake is done and ALPN chose a protocol */
};

/* Prepares a server session that negotiates `protocol` (an ALPN name such as "h2", RFC 7301). The
 * session must not move: wolfSSL keeps its address. VALK_ERROR_MEMORY. The caller disposes it. */
enum valk_error tls_session_init(struct tls_session *session, struct tls_context *context, const char *protocol)
	__attribute__((warn_unused_result));

/* True when the peer has sent more than the context's limits allow: bytes before the handshake is done, or, after it,
 * records without data. */
bool tls_session_passed_limit(const struct tls_session *session);

/* Frees what init made. Harmless on a zeroed session. */
void tls_session_dispose(struct tls_session *session);

/* Hands over ciphertext, which must stay readable until `tls_session_read` returned VALK_ERROR_AGAIN or an error. */
void tls_session_feed(struct tls_session *session, const uint8_t *ciphertext, size_t length);

/* Drives the handshake, then decrypts into `plaintext` and sets `*length` to the bytes written.
 * VALK_OK: `*length` > 0. VALK_ERROR_AGAIN: all ciphertext is used up. VALK_ERROR_CLOSED: close_notify. VALK_ERROR_TLS:
 * the session is unusable; an alert may stand in the output. VALK_ERROR_LIMIT: tls_session_passed_limit.
 * VALK_ERROR_MEMORY.
 */
enum valk_error tls_session_read(struct tls_session *session, uint8_t *plaintext, size_t capacity, size_t *length)
	__attribute__((warn_unused_result));

/* Encrypts `length` bytes into the output, in records of at most TLS_RECORD_PLAINTEXT_MAX. The caller makes sure that
 * the output has room for TLS_RECORD_OVERHEAD_MAX more a record. VALK_ERROR_TLS otherwise. */
enum valk_error tls_session_seal(struct tls_session *session, const uint8_t *plaintext, size_t length)
	__attribute__((warn_unused_result));

/* Appends close_notify to the output. Once. */
void tls_session_shutdown(struct tls_session *session);

/* Why the last call failed, in the library's words. `text` is written. */
void tls_session_failure(const struct tls_session *session, char *text, size_t size);

/* True when the session was resumed with a ticket. After the handshake. */
bool tls_session_is_resumed(const struct tls_session *session);

#endif
