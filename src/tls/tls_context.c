/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE
#include "tls/tls_context.h"

#include <string.h>

#include "tls/tls_session.h"
#include "tls/wolfssl.h"

/* AEAD with forward secrecy only (RFC 9325 section 4.2). AES-128 first: it is the fastest with AES-NI, and nothing
 * measurable is gained by 256 bits here. */
static const char cipher_suites[] = "TLS13-AES128-GCM-SHA256:TLS13-AES256-GCM-SHA384:TLS13-CHACHA20-POLY1305-SHA256:"
				    "ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256:"
				    "ECDHE-ECDSA-AES256-GCM-SHA384:ECDHE-RSA-AES256-GCM-SHA384:"
				    "ECDHE-ECDSA-CHACHA20-POLY1305:ECDHE-RSA-CHACHA20-POLY1305";

enum { RECORD_HEADER_SIZE = 5 }; /* RFC 8446 section 5.1 */

/* In order of preference among the key shares the client sends. */
static int groups[] = {
#if TLS_HAVE_X25519MLKEM768
	WOLFSSL_X25519MLKEM768,
#endif
	WOLFSSL_ECC_X25519,
	WOLFSSL_ECC_SECP256R1,
	WOLFSSL_ECC_SECP384R1,
};

/* Counts the records in bytes that wolfSSL is about to take. It asks for a header, or for what is left of one record,
 * never for both at once. */
static void count_records(struct tls_session *session, const uint8_t *bytes, size_t length)
{
	if (session->record_left > 0) {
		session->record_left -= length < session->record_left ? (uint32_t)length : session->record_left;
		return;
	}
	for (size_t i = 0; i < length; i++) {
		session->record_header = session->record_header << 8 | bytes[i];
		if (++session->record_header_length < RECORD_HEADER_SIZE)
			continue;
		session->record_left = session->record_header & 0xffff;
		session->record_header_length = 0;
		session->empty_records++;
	}
}

/* One call of wolfSSL_read may take thousands of records that bring nothing (empty ones, KeyUpdates): the count of
 * those in a row ends it. */
static int receive_ciphertext(WOLFSSL *ssl, char *bytes, int capacity, void *argument)
{
	(void)ssl;
	struct tls_session *session = argument;
	struct tls_io *io = &session->context->io;
	if (io->input_length == 0)
		return WOLFSSL_CBIO_ERR_WANT_READ;
	if (tls_session_passed_limit(session))
		return WOLFSSL_CBIO_ERR_GENERAL;
	size_t count = (size_t)capacity < io->input_length ? (size_t)capacity : io->input_length;
	count_records(session, io->input, count);
	/* What wolfSSL takes, not what has arrived: data may follow the client's Finished at once. */
	if (!session->established)
		session->handshake_bytes += (uint32_t)count;
	memcpy(bytes, io->input, count);
	io->input += count;
	io->input_length -= count;
	return (int)count;
}

/* Appends everything and never blocks: back-pressure is the caller's, who does not produce into a full buffer. Were it
 * full all the same, the session ends rather than that a record is torn. */
static int send_ciphertext(WOLFSSL *ssl, char *bytes, int length, void *argument)
{
	(void)ssl;
	struct tls_io *io = &((struct tls_session *)argument)->context->io;
	return buffer_append(io->output, bytes, (size_t)length) ? length : WOLFSSL_CBIO_ERR_GENERAL;
}

static int seal_ticket(WOLFSSL *ssl, const struct tls_session *session, unsigned char *name, unsigned char *nonce,
		       unsigned char *mac, unsigned char *ticket, int length)
{
	struct tls_ticket_header header = {.generation = session->ticket_generation};
	if (wc_RNG_GenerateBlock(wolfSSL_GetRNG(ssl), header.nonce, TLS_TICKET_NONCE_SIZE) != 0 ||
	    !tls_ticket_seal(session->context->tickets, &header, ticket, (size_t)length))
		return WOLFSSL_TICKET_RET_FATAL;
	memset(nonce, 0, WOLFSSL_TICKET_IV_SZ);
	memset(mac, 0, WOLFSSL_TICKET_MAC_SZ);
	memcpy(name, header.name, TLS_TICKET_NAME_SIZE);
	memcpy(nonce, header.nonce, TLS_TICKET_NONCE_SIZE);
	memcpy(mac, header.tag, TLS_TICKET_TAG_SIZE);
	mac[TLS_TICKET_TAG_SIZE] = header.generation;
	return WOLFSSL_TICKET_RET_OK;
}

static int open_ticket(struct tls_session *session, const unsigned char *name, const unsigned char *nonce,
		       const unsigned char *mac, unsigned char *ticket, int length)
{
	struct tls_ticket_header header = {.generation = mac[TLS_TICKET_TAG_SIZE]};
	memcpy(header.name, name, TLS_TICKET_NAME_SIZE);
	memcpy(header.nonce, nonce, TLS_TICKET_NONCE_SIZE);
	memcpy(header.tag, mac, TLS_TICKET_TAG_SIZE);
	enum tls_ticket_verdict verdict = tls_ticket_open(session->context->tickets, &header, ticket, (size_t)length);
	if (verdict == TLS_TICKET_REJECTED)
		return WOLFSSL_TICKET_RET_REJECT;
	session->ticket_generation = (uint8_t)(header.generation + 1);
	return verdict == TLS_TICKET_OPENED ? WOLFSSL_TICKET_RET_OK : WOLFSSL_TICKET_RET_CREATE;
}

/* wolfSSL leaves room for a larger nonce and tag than ours; what is left of it is zero and not looked at. */
static int on_ticket(WOLFSSL *ssl, unsigned char name[WOLFSSL_TICKET_NAME_SZ], unsigned char iv[WOLFSSL_TICKET_IV_SZ],
		     unsigned char mac[WOLFSSL_TICKET_MAC_SZ], int sealing, unsigned char *ticket, int length,
		     int *result_length, void *argument)
{
	(void)argument;
	struct tls_session *session = wolfSSL_GetIOReadCtx(ssl);
	*result_length = length;
	return sealing ? seal_ticket(ssl, session, name, iv, mac, ticket, length)
		       : open_ticket(session, name, iv, mac, ticket, length);
}

static enum valk_error configure(struct tls_context *context, const struct tls_credentials *credentials)
{
	WOLFSSL_CTX *ctx = context->wolfssl;
	if (wolfSSL_CTX_SetMinVersion(ctx, WOLFSSL_TLSV1_2) != WOLFSSL_SUCCESS ||
	    wolfSSL_CTX_set_cipher_list(ctx, cipher_suites) != WOLFSSL_SUCCESS ||
	    wolfSSL_CTX_use_certificate_chain_buffer(ctx, credentials->chain_pem, (long)credentials->chain_length) !=
		    WOLFSSL_SUCCESS ||
	    wolfSSL_CTX_use_PrivateKey_buffer(ctx, credentials->key_pem, (long)credentials->key_length,
					      WOLFSSL_FILETYPE_PEM) != WOLFSSL_SUCCESS ||
	    wolfSSL_CTX_set_groups(ctx, groups, sizeof(groups) / sizeof(groups[0])) != WOLFSSL_SUCCESS ||
	    wolfSSL_CTX_set_TicketEncCb(ctx, on_ticket) != WOLFSSL_SUCCESS ||
	    wolfSSL_CTX_set_TicketHint(ctx, TLS_TICKET_LIFETIME_S) != WOLFSSL_SUCCESS)
		return VALK_ERROR_TLS;
	/* Without this wolfSSL takes a ticket for 500 seconds only, whatever the hint says. */
	(void)wolfSSL_CTX_set_timeout(ctx, TLS_TICKET_LIFETIME_S);
	/* The server's flight leaves as one write instead of seven. */
	wolfSSL_CTX_set_group_messages(ctx);
	wolfSSL_CTX_set_verify(ctx, WOLFSSL_VERIFY_NONE, NULL); /* no client certificates */
	(void)wolfSSL_CTX_set_session_cache_mode(ctx,
						 WOLFSSL_SESS_CACHE_OFF); /* tickets keep the state at the client */
	wolfSSL_CTX_SetIORecv(ctx, receive_ciphertext);
	wolfSSL_CTX_SetIOSend(ctx, send_ciphertext);
	return VALK_OK;
}

enum valk_error tls_context_init(struct tls_context *context, const struct tls_credentials *credentials,
				 struct tls_ticket_keys *tickets, const struct valk_limits *limits,
				 struct buffer *output, struct valk_diagnostic *diagnostic)
{
	memset(context, 0, sizeof(*context));
	context->tickets = tickets;
	context->io.output = output;
	context->handshake_bytes_max = limits->handshake_bytes;
	context->empty_records_max = limits->empty_records;
	context->wolfssl = wolfSSL_CTX_new(wolfSSLv23_server_method());
	if (context->wolfssl == NULL)
		return diagnose(diagnostic, VALK_ERROR_MEMORY, "cannot set up TLS: out of memory");
	if (configure(context, credentials) == VALK_OK)
		return VALK_OK;
	tls_context_dispose(context);
	return diagnose(diagnostic, VALK_ERROR_TLS,
			"cannot set up TLS with certificate %s: the TLS library refused the settings; check that it is "
			"wolfSSL 5.5 "
			"or later with ALPN, tickets, TLS 1.3 and Curve25519",
			credentials->certificate_file);
}

void tls_context_dispose(struct tls_context *context)
{
	if (context->wolfssl != NULL)
		wolfSSL_CTX_free(context->wolfssl);
	context->wolfssl = NULL;
}
