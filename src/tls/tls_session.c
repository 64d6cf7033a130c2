/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tls/tls_session.h"

#include <stdio.h>
#include <string.h>

#include "tls/wolfssl.h"

enum valk_error tls_session_init(struct tls_session *session, struct tls_context *context, const char *protocol)
{
	char name[32];
	memset(session, 0, sizeof(*session));
	session->context = context;
	session->wolfssl = wolfSSL_new(context->wolfssl);
	if (session->wolfssl == NULL)
		return VALK_ERROR_MEMORY;
	snprintf(name, sizeof(name), "%s", protocol); /* wolfSSL wants a writable string and copies it */
	if (wolfSSL_UseALPN(session->wolfssl, name, (unsigned)strlen(name), WOLFSSL_ALPN_FAILED_ON_MISMATCH) !=
	    WOLFSSL_SUCCESS) {
		tls_session_dispose(session);
		return VALK_ERROR_MEMORY;
	}
	wolfSSL_SetIOReadCtx(session->wolfssl, session);
	wolfSSL_SetIOWriteCtx(session->wolfssl, session);
	return VALK_OK;
}

void tls_session_dispose(struct tls_session *session)
{
	if (session->wolfssl != NULL)
		wolfSSL_free(session->wolfssl);
	session->wolfssl = NULL;
}

void tls_session_feed(struct tls_session *session, const uint8_t *ciphertext, size_t length)
{
	session->context->io.input = ciphertext;
	session->context->io.input_length = length;
}

bool tls_session_passed_limit(const struct tls_session *session)
{
	const struct tls_context *context = session->context;
	return session->established ? session->empty_records > context->empty_records_max
				    : session->handshake_bytes > context->handshake_bytes_max;
}

static enum valk_error classify(const struct tls_session *session, int status)
{
	if (tls_session_passed_limit(session))
		return VALK_ERROR_LIMIT;
	switch (wolfSSL_get_error(session->wolfssl, status)) {
	case WOLFSSL_ERROR_WANT_READ:
	case WOLFSSL_ERROR_WANT_WRITE:
		return VALK_ERROR_AGAIN;
	case WOLFSSL_ERROR_ZERO_RETURN:
		return VALK_ERROR_CLOSED;
	case MEMORY_E:
		return VALK_ERROR_MEMORY;
	default:
		return VALK_ERROR_TLS;
	}
}

static enum valk_error handshake(struct tls_session *session)
{
	int status = wolfSSL_accept(session->wolfssl);
	if (status != WOLFSSL_SUCCESS)
		return classify(session, status);
	/* A client without the ALPN extension passes wolfSSL's check, yet HTTP/2 over TLS must be negotiated (RFC 9113
	 * section 3.2). */
	char *protocol;
	unsigned short length;
	if (wolfSSL_ALPN_GetProtocol(session->wolfssl, &protocol, &length) != WOLFSSL_SUCCESS)
		return VALK_ERROR_TLS;
	session->established = true;
	session->empty_records = 0;
	return VALK_OK;
}

enum valk_error tls_session_read(struct tls_session *session, uint8_t *plaintext, size_t capacity, size_t *length)
{
	*length = 0;
	if (!session->established) {
		enum valk_error error = handshake(session);
		if (error != VALK_OK)
			return error;
	}
	int count = wolfSSL_read(session->wolfssl, plaintext, (int)capacity);
	if (count <= 0)
		return classify(session, count);
	session->empty_records = 0;
	*length = (size_t)count;
	return VALK_OK;
}

enum valk_error tls_session_seal(struct tls_session *session, const uint8_t *plaintext, size_t length)
{
	return wolfSSL_write(session->wolfssl, plaintext, (int)length) == (int)length ? VALK_OK : VALK_ERROR_TLS;
}

void tls_session_shutdown(struct tls_session *session)
{
	(void)wolfSSL_shutdown(session->wolfssl);
}

void tls_session_failure(const struct tls_session *session, char *text, size_t size)
{
	char reason[WOLFSSL_MAX_ERROR_SZ];
	int code = wolfSSL_get_error(session->wolfssl, 0);
	if (code == 0)
		snprintf(text, size, "the client offered no ALPN protocol");
	else
		snprintf(text, size, "%s", wolfSSL_ERR_error_string((unsigned long)code, reason));
}

bool tls_session_is_resumed(const struct tls_session *session)
{
	return wolfSSL_session_reused(session->wolfssl) != 0;
}
