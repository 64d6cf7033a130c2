/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One worker's TLS settings: certificate, ALPN, groups, suites and tickets. */
#ifndef TLS_CONTEXT_H
#define TLS_CONTEXT_H

#include "base/buffer.h"
#include "base/error.h"
#include "tls/tls_credentials.h"
#include "tls/tls_ticket.h"
#include "valkyrie/limits.h"

struct WOLFSSL_CTX;

/* Where the sessions of this context read ciphertext from and write it to. wolfSSL's callbacks touch only these, never
 * a socket. One session is active at a time, so one set serves all sessions of a worker. */
struct tls_io {
	const uint8_t *input;
	size_t input_length; /* bytes */
	struct buffer *output;
};

/* Used by the thread that created it only. */
struct tls_context {
	struct WOLFSSL_CTX *wolfssl;
	struct tls_ticket_keys *tickets; /* shared, not owned */
	struct tls_io io;
	uint32_t handshake_bytes_max; /* L14 */
	uint32_t empty_records_max;   /* L14 */
};

/* Sets `context` up for servers with `credentials` and `limits` (read only during the call) and `tickets` (shared; must
 * outlive it). Sessions append their ciphertext to `output`, which must outlive the context. VALK_ERROR_TLS or
 * VALK_ERROR_MEMORY with a diagnostic. The caller disposes it. */
enum valk_error tls_context_init(struct tls_context *context, const struct tls_credentials *credentials,
				 struct tls_ticket_keys *tickets, const struct valk_limits *limits,
				 struct buffer *output, struct valk_diagnostic *diagnostic)
	__attribute__((warn_unused_result));

/* Frees what init made; when all its sessions are disposed. Harmless on a zeroed context. */
void tls_context_dispose(struct tls_context *context);

#endif
