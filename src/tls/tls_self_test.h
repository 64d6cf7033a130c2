/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TLS_SELF_TEST_H
#define TLS_SELF_TEST_H

#include "base/error.h"
#include "tls/tls_credentials.h"
#include "tls/tls_ticket.h"

/* Completes a handshake in memory, one with TLS 1.3 and one with TLS 1.2, between a context made of `credentials` and a
 * client, and passes a message through each. Proves before any socket is opened that certificate, key and library work
 * together, and makes wolfSSL's first-use globals before threads exist. VALK_ERROR_CONFIG, VALK_ERROR_TLS or
 * VALK_ERROR_MEMORY with a diagnostic. Main thread. */
enum valk_error tls_self_test(const struct tls_credentials *credentials, struct tls_ticket_keys *tickets,
			      struct valk_diagnostic *diagnostic) __attribute__((warn_unused_result));

#endif
