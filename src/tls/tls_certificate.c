/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE
#include "tls/tls_certificate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tls/wolfssl.h"

#include <wolfssl/wolfcrypt/asn.h>
#include <wolfssl/wolfcrypt/asn_public.h>
#include <wolfssl/wolfcrypt/ecc.h>
#include <wolfssl/wolfcrypt/ed25519.h>
#include <wolfssl/wolfcrypt/rsa.h>
#include <wolfssl/wolfcrypt/sha256.h>

enum { PUBLIC_KEY_LIMIT = 1200 }; /* bytes: an RSA-8192 public key fits */

static void set_fingerprint(struct tls_key_info *info, const uint8_t *public_key, size_t length)
{
	uint8_t digest[WC_SHA256_DIGEST_SIZE];
	if (wc_Sha256Hash(public_key, (word32)length, digest) != 0)
		return;
	memcpy(info->fingerprint, digest, sizeof(info->fingerprint));
	info->has_fingerprint = true;
}

static unsigned rsa_bits(const uint8_t *der, size_t length)
{
	RsaKey key;
	word32 index = 0;
	unsigned bits = 0;
	if (wc_InitRsaKey(&key, NULL) != 0)
		return 0;
	if (wc_RsaPublicKeyDecode(der, &index, &key, (word32)length) == 0)
		bits = (unsigned)wc_RsaEncryptSize(&key) * 8;
	wc_FreeRsaKey(&key);
	return bits;
}

/* Notes curve and public point of `key`, which holds its public part. */
static void note_ec_key(ecc_key *key, struct tls_key_info *info)
{
	uint8_t point[PUBLIC_KEY_LIMIT];
	word32 length = sizeof(point);
	int size = wc_ecc_size(key);
	info->type = TLS_KEY_ECDSA;
	info->bits = size == 66 ? 521 : size > 0 ? (unsigned)size * 8 : 0;
	if (wc_ecc_export_x963(key, point, &length) == 0)
		set_fingerprint(info, point, length);
}

static void describe_ec_public_key(const uint8_t *der, size_t length, struct tls_key_info *info)
{
	ecc_key key;
	word32 index = 0;
	if (wc_ecc_init(&key) != 0)
		return;
	if (wc_EccPublicKeyDecode(der, &index, &key, (word32)length) == 0)
		note_ec_key(&key, info);
	wc_ecc_free(&key);
}

static void describe_public_key(const DecodedCert *certificate, struct tls_key_info *info)
{
	memset(info, 0, sizeof(*info));
	size_t length = certificate->pubKeySize;
	switch (certificate->keyOID) {
	case RSAk:
		info->type = TLS_KEY_RSA;
		info->bits = rsa_bits(certificate->publicKey, length);
		return; /* no fingerprint: RSA keys of one size are told apart by their files' names */
	case ECDSAk:
		describe_ec_public_key(certificate->publicKey, length, info);
		return;
	case ED25519k:
		info->type = TLS_KEY_ED25519;
		info->bits = 256;
		set_fingerprint(info, certificate->publicKey, length);
		return;
	default:
		return;
	}
}

static time_t date_to_seconds(const uint8_t *date, int length)
{
	struct tm utc;
	memset(&utc, 0, sizeof(utc));
	if (date == NULL || length < 3 || wc_GetDateAsCalendarTime(date + 2, length - 2, date[0], &utc) != 0)
		return 0;
	return timegm(&utc);
}

static void copy_subject(const DecodedCert *certificate, char *text, size_t size)
{
	const char *name = certificate->subjectCN;
	size_t length = (size_t)certificate->subjectCNLen;
	if ((name == NULL || length == 0) && certificate->altNames != NULL) {
		name = certificate->altNames->name;
		length = name != NULL ? strlen(name) : 0;
	}
	snprintf(text, size, "%.*s", (int)length, name != NULL ? name : "");
}

bool tls_certificate_inspect(const uint8_t *pem, size_t length, struct tls_certificate_info *info)
{
	memset(info, 0, sizeof(*info));
	uint8_t *der = malloc(length);
	if (der == NULL)
		return false;
	int der_length = wc_CertPemToDer(pem, (int)length, der, (int)length, CERT_TYPE);
	bool parsed = false;
	if (der_length > 0) {
		DecodedCert certificate;
		wc_InitDecodedCert(&certificate, der, (word32)der_length, NULL);
		parsed = wc_ParseCert(&certificate, CERT_TYPE, NO_VERIFY, NULL) == 0;
		if (parsed) {
			copy_subject(&certificate, info->subject, sizeof(info->subject));
			info->not_after = date_to_seconds(certificate.afterDate, certificate.afterDateLen);
			describe_public_key(&certificate, &info->key);
		}
		wc_FreeDecodedCert(&certificate);
	}
	free(der);
	return parsed;
}

static bool inspect_rsa(const uint8_t *der, word32 length, struct tls_key_info *info)
{
	RsaKey key;
	word32 index = 0;
	if (wc_InitRsaKey(&key, NULL) != 0)
		return false;
	bool decoded = wc_RsaPrivateKeyDecode(der, &index, &key, length) == 0;
	if (decoded) {
		info->type = TLS_KEY_RSA;
		info->bits = (unsigned)wc_RsaEncryptSize(&key) * 8;
	}
	wc_FreeRsaKey(&key);
	return decoded;
}

static bool inspect_ecdsa(const uint8_t *der, word32 length, struct tls_key_info *info)
{
	ecc_key key;
	word32 index = 0;
	if (wc_ecc_init(&key) != 0)
		return false;
	bool decoded = wc_EccPrivateKeyDecode(der, &index, &key, length) == 0;
	if (decoded) {
		if (key.type == ECC_PRIVATEKEY_ONLY)
			(void)wc_ecc_make_pub(&key, NULL);
		note_ec_key(&key, info);
	}
	wc_ecc_free(&key);
	return decoded;
}

static bool inspect_ed25519(const uint8_t *der, word32 length, struct tls_key_info *info)
{
	ed25519_key key;
	word32 index = 0;
	if (wc_ed25519_init(&key) != 0)
		return false;
	bool decoded = wc_Ed25519PrivateKeyDecode(der, &index, &key, length) == 0;
	if (decoded) {
		uint8_t public_key[ED25519_PUB_KEY_SIZE];
		info->type = TLS_KEY_ED25519;
		info->bits = 256;
		if (wc_ed25519_make_public(&key, public_key, sizeof(public_key)) == 0)
			set_fingerprint(info, public_key, sizeof(public_key));
	}
	wc_ed25519_free(&key);
	return decoded;
}

bool tls_key_inspect(const uint8_t *pem, size_t length, struct tls_key_info *info)
{
	memset(info, 0, sizeof(*info));
	uint8_t *der = malloc(length);
	if (der == NULL)
		return false;
	int der_length = wc_KeyPemToDer(pem, (int)length, der, (int)length, NULL);
	bool decoded = der_length > 0 &&
		       (inspect_ecdsa(der, (word32)der_length, info) || inspect_rsa(der, (word32)der_length, info) ||
			inspect_ed25519(der, (word32)der_length, info));
	explicit_bzero(der, length);
	free(der);
	return decoded;
}

bool tls_key_is_encrypted(const char *pem)
{
	return strstr(pem, "BEGIN ENCRYPTED PRIVATE KEY") != NULL || strstr(pem, "Proc-Type: 4,ENCRYPTED") != NULL;
}

void tls_key_describe(const struct tls_key_info *info, char *text, size_t size)
{
	char kind[64];
	switch (info->type) {
	case TLS_KEY_RSA:
		snprintf(kind, sizeof(kind), "RSA-%u", info->bits);
		break;
	case TLS_KEY_ECDSA:
		snprintf(kind, sizeof(kind), "EC P-%u", info->bits);
		break;
	case TLS_KEY_ED25519:
		snprintf(kind, sizeof(kind), "Ed25519");
		break;
	default:
		snprintf(kind, sizeof(kind), "a key of an unsupported kind");
	}
	const uint8_t *f = info->fingerprint;
	if (info->has_fingerprint)
		snprintf(text, size, "%s %02x%02x%02x%02x", kind, f[0], f[1], f[2], f[3]);
	else
		snprintf(text, size, "%s", kind);
}

bool tls_key_is_supported(const struct tls_key_info *info)
{
	switch (info->type) {
	case TLS_KEY_RSA:
		return info->bits >= 2048 && info->bits <= 4096;
	case TLS_KEY_ECDSA:
		return info->bits == 256 || info->bits == 384;
	case TLS_KEY_ED25519:
		return true;
	default:
		return false;
	}
}
