/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tls/tls_self_test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tls/tls_session.h"
#include "tls/wolfssl.h"

enum {
	PIPE_CAPACITY = 64 * 1024, /* bytes: less than a worker's output, so that a chain too long for it fails here */
	ROUNDS_MAX = 32,	   /* a handshake takes three */
};

static const char probe[] = "valkyrie self-test";

/* Both ends and the two directions between them. */
struct trial {
	uint8_t *storage;
	struct buffer to_client;
	struct buffer to_server;
	struct tls_context server_context;
	struct tls_session server;
	WOLFSSL_CTX *client_context;
	WOLFSSL *client;
};

static int client_receive(WOLFSSL *ssl, char *bytes, int capacity, void *argument)
{
	(void)ssl;
	struct trial *trial = argument;
	size_t count = buffer_length(&trial->to_client);
	if (count == 0)
		return WOLFSSL_CBIO_ERR_WANT_READ;
	if (count > (size_t)capacity)
		count = (size_t)capacity;
	memcpy(bytes, buffer_head(&trial->to_client), count);
	buffer_consume(&trial->to_client, count);
	return (int)count;
}

static int client_send(WOLFSSL *ssl, char *bytes, int length, void *argument)
{
	(void)ssl;
	struct trial *trial = argument;
	return buffer_append(&trial->to_server, bytes, (size_t)length) ? length : WOLFSSL_CBIO_ERR_GENERAL;
}

static bool open_client(struct trial *trial, WOLFSSL_METHOD *(*method)(void))
{
	char protocol[] = "h2";
	trial->client_context = wolfSSL_CTX_new(method()); /* takes the method over, also when it fails */
	if (trial->client_context == NULL)
		return false;
	wolfSSL_CTX_set_verify(trial->client_context, WOLFSSL_VERIFY_NONE, NULL);
	wolfSSL_CTX_SetIORecv(trial->client_context, client_receive);
	wolfSSL_CTX_SetIOSend(trial->client_context, client_send);
	trial->client = wolfSSL_new(trial->client_context);
	if (trial->client == NULL)
		return false;
	wolfSSL_SetIOReadCtx(trial->client, trial);
	wolfSSL_SetIOWriteCtx(trial->client, trial);
	return wolfSSL_UseALPN(trial->client, protocol, 2, WOLFSSL_ALPN_FAILED_ON_MISMATCH) == WOLFSSL_SUCCESS;
}

/* Lets the server take what the client sent; its echo of the probe goes back. */
static enum valk_error serve(struct trial *trial)
{
	uint8_t plaintext[TLS_RECORD_PLAINTEXT_MAX];
	size_t length;
	tls_session_feed(&trial->server, buffer_head(&trial->to_server), buffer_length(&trial->to_server));
	enum valk_error error;
	do {
		error = tls_session_read(&trial->server, plaintext, sizeof(plaintext), &length);
		if (error == VALK_OK)
			error = tls_session_seal(&trial->server, plaintext, length);
	} while (error == VALK_OK);
	buffer_clear(&trial->to_server);
	return error == VALK_ERROR_AGAIN ? VALK_OK : error;
}

/* Steps both ends until the client reads its probe back. */
static bool exchange(struct trial *trial, char *reason, size_t reason_size)
{
	char echo[sizeof(probe)] = "";
	bool sent = false;
	for (int round = 0; round < ROUNDS_MAX; round++) {
		int status = wolfSSL_connect(trial->client);
		if (status == WOLFSSL_SUCCESS && !sent)
			sent = wolfSSL_write(trial->client, probe, sizeof(probe)) == (int)sizeof(probe);
		if (sent && wolfSSL_read(trial->client, echo, sizeof(echo)) == (int)sizeof(echo))
			return memcmp(echo, probe, sizeof(probe)) == 0;
		int code = wolfSSL_get_error(trial->client, status);
		if (serve(trial) != VALK_OK) {
			tls_session_failure(&trial->server, reason, reason_size);
			return false;
		}
		if (code != 0 && code != WOLFSSL_ERROR_WANT_READ) {
			char text[WOLFSSL_MAX_ERROR_SZ];
			snprintf(reason, reason_size, "%s", wolfSSL_ERR_error_string((unsigned long)code, text));
			return false;
		}
	}
	snprintf(reason, reason_size, "the handshake does not end");
	return false;
}

static void close_trial(struct trial *trial)
{
	wolfSSL_free(trial->client);
	wolfSSL_CTX_free(trial->client_context);
	tls_session_dispose(&trial->server);
	tls_context_dispose(&trial->server_context);
	free(trial->storage);
}

static enum valk_error run_trial(const struct tls_credentials *credentials, struct tls_ticket_keys *tickets,
				 WOLFSSL_METHOD *(*method)(void), const char *version,
				 struct valk_diagnostic *diagnostic)
{
	struct valk_limits limits;
	struct trial trial;
	char reason[WOLFSSL_MAX_ERROR_SZ] = "out of memory";
	memset(&trial, 0, sizeof(trial));
	trial.storage = malloc((size_t)PIPE_CAPACITY * 2);
	if (trial.storage == NULL)
		return diagnose(diagnostic, VALK_ERROR_MEMORY, "cannot test TLS: out of memory");
	buffer_init(&trial.to_client, trial.storage, PIPE_CAPACITY);
	buffer_init(&trial.to_server, trial.storage + PIPE_CAPACITY, PIPE_CAPACITY);
	valk_limits_init(&limits);
	enum valk_error error =
		tls_context_init(&trial.server_context, credentials, tickets, &limits, &trial.to_client, diagnostic);
	if (error == VALK_OK && (tls_session_init(&trial.server, &trial.server_context, "h2") != VALK_OK ||
				 !open_client(&trial, method) || !exchange(&trial, reason, sizeof(reason))))
		error = diagnose(diagnostic, VALK_ERROR_CONFIG,
				 "certificate %s and key %s fail a %s handshake in the self-test (%s); check the "
				 "chain's order and "
				 "the key's kind",
				 credentials->certificate_file, credentials->key_file, version, reason);
	close_trial(&trial);
	return error;
}

enum valk_error tls_self_test(const struct tls_credentials *credentials, struct tls_ticket_keys *tickets,
			      struct valk_diagnostic *diagnostic)
{
	enum valk_error error = run_trial(credentials, tickets, wolfTLSv1_3_client_method, "TLS 1.3", diagnostic);
	if (error == VALK_OK)
		error = run_trial(credentials, tickets, wolfTLSv1_2_client_method, "TLS 1.2", diagnostic);
	return error;
}
