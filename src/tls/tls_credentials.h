/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A certificate chain and its private key, loaded from PEM files and checked. */
#ifndef TLS_CREDENTIALS_H
#define TLS_CREDENTIALS_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "tls/tls_certificate.h"

/* Immutable once loaded, so every worker may read it to make its own context. */
struct tls_credentials {
	char *certificate_file; /* the names as given, for messages */
	char *key_file;
	uint8_t *chain_pem; /* leaf first; `chain_length` bytes and a NUL */
	size_t chain_length;
	uint8_t *key_pem; /* memory of secret.h */
	size_t key_length;
	struct tls_certificate_info leaf;
};

/* Loads and checks both files: readable, PEM, not encrypted, of a supported kind, and one pair. On success the caller
 * owns `*credentials`. VALK_ERROR_CONFIG with a diagnostic that names file, reason and fix, or VALK_ERROR_MEMORY.
 * Main thread. */
enum valk_error tls_credentials_load(const char *certificate_file, const char *key_file,
				     struct tls_credentials **credentials, struct valk_diagnostic *diagnostic)
	__attribute__((warn_unused_result));

/* Wipes the key and frees everything. NULL is allowed. */
void tls_credentials_destroy(struct tls_credentials *credentials);

#endif
