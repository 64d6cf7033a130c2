/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE
#include "tls/tls_credentials.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/secret.h"
#include "tls/wolfssl.h"

enum { PEM_FILE_LIMIT = 1024 * 1024 }; /* bytes: a chain of hundreds of certificates */

static enum valk_error check_certificate(struct tls_credentials *credentials, struct valk_diagnostic *diagnostic)
{
	const char *file = credentials->certificate_file;
	if (strstr((const char *)credentials->chain_pem, "-----BEGIN CERTIFICATE-----") == NULL)
		return diagnose(diagnostic, VALK_ERROR_CONFIG,
				"certificate %s holds no PEM certificate; give a file with -----BEGIN CERTIFICATE----- "
				"(convert DER "
				"with: openssl x509 -inform der -in FILE -out FILE.pem)",
				file);
	if (!tls_certificate_inspect(credentials->chain_pem, credentials->chain_length, &credentials->leaf))
		return diagnose(diagnostic, VALK_ERROR_CONFIG,
				"certificate %s cannot be parsed; look at it with: openssl x509 -in FILE -text", file);
	if (!tls_key_is_supported(&credentials->leaf.key)) {
		char kind[80];
		tls_key_describe(&credentials->leaf.key, kind, sizeof(kind));
		return diagnose(diagnostic, VALK_ERROR_CONFIG,
				"certificate %s has an unsupported key: %s; use RSA of 2048 to 4096 bits, EC P-256 or "
				"P-384, or "
				"Ed25519",
				file, kind);
	}
	return VALK_OK;
}

static enum valk_error check_key(const struct tls_credentials *credentials, struct tls_key_info *key,
				 struct valk_diagnostic *diagnostic)
{
	const char *file = credentials->key_file;
	const char *text = (const char *)credentials->key_pem;
	if (tls_key_is_encrypted(text))
		return diagnose(diagnostic, VALK_ERROR_CONFIG,
				"key %s is encrypted; a server starts unattended, so decrypt it with: openssl pkey -in "
				"FILE -out "
				"FILE.plain",
				file);
	if (strstr(text, "PRIVATE KEY-----") == NULL)
		return diagnose(diagnostic, VALK_ERROR_CONFIG,
				"key %s holds no PEM private key; give a file with -----BEGIN PRIVATE KEY-----%s", file,
				strstr(text, "BEGIN CERTIFICATE") != NULL ? " (this is a certificate)" : "");
	if (!tls_key_inspect(credentials->key_pem, credentials->key_length, key))
		return diagnose(diagnostic, VALK_ERROR_CONFIG,
				"key %s cannot be parsed or is of an unsupported kind; check it with: openssl pkey -in "
				"FILE -check -noout",
				file);
	return VALK_OK;
}

static bool describe_different_keys(const struct tls_key_info *a, const struct tls_key_info *b)
{
	return a->type != b->type || a->bits != b->bits ||
	       (a->has_fingerprint && b->has_fingerprint &&
		memcmp(a->fingerprint, b->fingerprint, sizeof(a->fingerprint)) != 0);
}

static enum valk_error explain_mismatch(const struct tls_credentials *credentials, const struct tls_key_info *key,
					struct valk_diagnostic *diagnostic)
{
	char of_key[80], of_certificate[80];
	tls_key_describe(key, of_key, sizeof(of_key));
	tls_key_describe(&credentials->leaf.key, of_certificate, sizeof(of_certificate));
	return diagnose(
		diagnostic, VALK_ERROR_CONFIG,
		"key %s does not belong to certificate %s (%s against %s); give the pair that was issued together",
		credentials->key_file, credentials->certificate_file, of_key, of_certificate);
}

/* Asks wolfSSL whether key and certificate are one pair, and whether it takes the whole chain. */
static enum valk_error check_pair(const struct tls_credentials *credentials, const struct tls_key_info *key,
				  struct valk_diagnostic *diagnostic)
{
	if (describe_different_keys(key, &credentials->leaf.key))
		return explain_mismatch(credentials, key, diagnostic);
	WOLFSSL_CTX *context = wolfSSL_CTX_new(wolfTLS_server_method());
	if (context == NULL)
		return VALK_ERROR_MEMORY;
	enum valk_error error = VALK_OK;
	int status = wolfSSL_CTX_use_certificate_chain_buffer(context, credentials->chain_pem,
							      (long)credentials->chain_length);
	if (status != WOLFSSL_SUCCESS)
		error = diagnose(
			diagnostic, VALK_ERROR_CONFIG,
			"certificate %s: the chain cannot be used (%s); it must hold the leaf first, then its issuers",
			credentials->certificate_file, wolfSSL_ERR_reason_error_string((unsigned long)status));
	else if (wolfSSL_CTX_use_PrivateKey_buffer(context, credentials->key_pem, (long)credentials->key_length,
						   WOLFSSL_FILETYPE_PEM) != WOLFSSL_SUCCESS ||
		 wolfSSL_CTX_check_private_key(context) != WOLFSSL_SUCCESS)
		error = explain_mismatch(credentials, key, diagnostic);
	wolfSSL_CTX_free(context);
	return error;
}

/* The key goes to memory of its own at once. */
static enum valk_error read_key(struct tls_credentials *credentials, struct valk_diagnostic *diagnostic)
{
	uint8_t *bytes;
	enum valk_error error =
		file_read("key", credentials->key_file, PEM_FILE_LIMIT, &bytes, &credentials->key_length, diagnostic);
	if (error != VALK_OK)
		return error;
	credentials->key_pem = secret_take(&bytes, credentials->key_length);
	return credentials->key_pem != NULL ? VALK_OK : VALK_ERROR_MEMORY;
}

static enum valk_error load_and_check(struct tls_credentials *credentials, struct valk_diagnostic *diagnostic)
{
	struct tls_key_info key = {0};
	enum valk_error error = file_read("certificate", credentials->certificate_file, PEM_FILE_LIMIT,
					  &credentials->chain_pem, &credentials->chain_length, diagnostic);
	if (error == VALK_OK)
		error = read_key(credentials, diagnostic);
	if (error == VALK_OK)
		error = check_certificate(credentials, diagnostic);
	if (error == VALK_OK)
		error = check_key(credentials, &key, diagnostic);
	if (error == VALK_OK)
		error = check_pair(credentials, &key, diagnostic);
	return error;
}

enum valk_error tls_credentials_load(const char *certificate_file, const char *key_file,
				     struct tls_credentials **credentials, struct valk_diagnostic *diagnostic)
{
	struct tls_credentials *loaded = calloc(1, sizeof(*loaded));
	enum valk_error error = VALK_ERROR_MEMORY;
	if (loaded != NULL && (loaded->certificate_file = strdup(certificate_file)) != NULL &&
	    (loaded->key_file = strdup(key_file)) != NULL)
		error = load_and_check(loaded, diagnostic);
	if (error == VALK_ERROR_MEMORY)
		diagnose(diagnostic, error, "cannot load certificate %s: out of memory", certificate_file);
	if (error != VALK_OK) {
		tls_credentials_destroy(loaded);
		return error;
	}
	*credentials = loaded;
	return VALK_OK;
}

void tls_credentials_destroy(struct tls_credentials *credentials)
{
	if (credentials == NULL)
		return;
	secret_free(credentials->key_pem, credentials->key_length);
	free(credentials->chain_pem);
	free(credentials->certificate_file);
	free(credentials->key_file);
	free(credentials);
}
