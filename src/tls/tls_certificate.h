/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a person wants to know of a certificate and of a private key. */
#ifndef TLS_CERTIFICATE_H
#define TLS_CERTIFICATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

enum tls_key_type { TLS_KEY_UNKNOWN, TLS_KEY_RSA, TLS_KEY_ECDSA, TLS_KEY_ED25519 };

/* Kind of a public or private key. */
struct tls_key_info {
	enum tls_key_type type;
	unsigned bits;		/* RSA modulus or curve size; 0 when unknown */
	uint8_t fingerprint[4]; /* start of SHA-256 over the public key; zero when `has_fingerprint` is false */
	bool has_fingerprint;
};

/* The leaf certificate of a chain. */
struct tls_certificate_info {
	char subject[128]; /* common name, or the first alternative name; "" when it has neither */
	time_t not_after;  /* seconds since 1970; 0 when unreadable */
	struct tls_key_info key;
};

/* Reads the first certificate of the PEM text. False when there is none or it cannot be parsed. */
bool tls_certificate_inspect(const uint8_t *pem, size_t length, struct tls_certificate_info *info)
	__attribute__((warn_unused_result));

/* Reads the private key of the PEM text. False when there is none or it cannot be parsed. */
bool tls_key_inspect(const uint8_t *pem, size_t length, struct tls_key_info *info) __attribute__((warn_unused_result));

/* True for a key whose PEM text says it is encrypted. `pem` is NUL-terminated. */
bool tls_key_is_encrypted(const char *pem);

/* Writes for example "RSA-2048" or "EC P-256 ab12cd34". */
void tls_key_describe(const struct tls_key_info *info, char *text, size_t size);

/* True for RSA of 2048 to 4096 bits, ECDSA on P-256 and P-384, and Ed25519. */
bool tls_key_is_supported(const struct tls_key_info *info);

#endif
