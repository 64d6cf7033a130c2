/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The post-quantum group, which Debian 12's OpenSSL does not have: against wolfSSL's own client. */
#include "tls/tls_session.h"
#include "tls/wolfssl.h"

#include "support/process.h"
#include "support/test.h"
#include "tls/tls_library.h"

enum { CAPACITY = 65536 };

static struct buffer to_client, to_server;

static int client_receive(WOLFSSL *ssl, char *bytes, int capacity, void *argument)
{
	(void)ssl;
	(void)argument;
	size_t count = buffer_length(&to_client) < (size_t)capacity ? buffer_length(&to_client) : (size_t)capacity;
	if (count == 0)
		return WOLFSSL_CBIO_ERR_WANT_READ;
	memcpy(bytes, buffer_head(&to_client), count);
	buffer_consume(&to_client, count);
	return (int)count;
}

static int client_send(WOLFSSL *ssl, char *bytes, int length, void *argument)
{
	(void)ssl;
	(void)argument;
	return buffer_append(&to_server, bytes, (size_t)length) ? length : WOLFSSL_CBIO_ERR_GENERAL;
}

static void x25519mlkem768_is_chosen(void **state)
{
	struct valk_limits limits;
	(void)state;
#if TLS_HAVE_X25519MLKEM768
	static uint8_t storage[2][CAPACITY];
	uint8_t plaintext[1000];
	char protocol[] = "h2";
	struct valk_diagnostic diagnostic;
	struct tls_credentials *credentials;
	struct tls_context context;
	struct tls_session server;
	size_t length;
	struct tls_ticket_keys *tickets = tls_ticket_keys_create(0);
	buffer_init(&to_client, storage[0], CAPACITY);
	buffer_init(&to_server, storage[1], CAPACITY);
	assert_int_equal(tls_library_init(), VALK_OK);
	assert_int_equal(tls_credentials_load(certificate_path("ec256.crt"), certificate_path("ec256.key"),
					      &credentials, &diagnostic),
			 VALK_OK);
	valk_limits_init(&limits);
	assert_int_equal(tls_context_init(&context, credentials, tickets, &limits, &to_client, &diagnostic), VALK_OK);
	assert_int_equal(tls_session_init(&server, &context, "h2"), VALK_OK);

	WOLFSSL_CTX *client_context = wolfSSL_CTX_new(wolfTLSv1_3_client_method());
	wolfSSL_CTX_set_verify(client_context, WOLFSSL_VERIFY_NONE, NULL);
	wolfSSL_CTX_SetIORecv(client_context, client_receive);
	wolfSSL_CTX_SetIOSend(client_context, client_send);
	WOLFSSL *client = wolfSSL_new(client_context);
	assert_int_equal(wolfSSL_UseALPN(client, protocol, 2, WOLFSSL_ALPN_FAILED_ON_MISMATCH), WOLFSSL_SUCCESS);
	assert_int_equal(wolfSSL_UseKeyShare(client, WOLFSSL_X25519MLKEM768), WOLFSSL_SUCCESS);
	int status = WOLFSSL_FAILURE;
	for (int round = 0; round < 10 && status != WOLFSSL_SUCCESS; round++) {
		status = wolfSSL_connect(client);
		tls_session_feed(&server, buffer_head(&to_server), buffer_length(&to_server));
		assert_int_equal(tls_session_read(&server, plaintext, sizeof(plaintext), &length), VALK_ERROR_AGAIN);
		buffer_clear(&to_server);
	}
	assert_int_equal(status, WOLFSSL_SUCCESS);
	assert_string_equal(wolfSSL_get_curve_name(client), "X25519MLKEM768");

	wolfSSL_free(client);
	wolfSSL_CTX_free(client_context);
	tls_session_dispose(&server);
	tls_context_dispose(&context);
	tls_credentials_destroy(credentials);
	tls_ticket_keys_destroy(tickets);
	tls_library_dispose();
#else
	skip();
#endif
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(x25519mlkem768_is_chosen)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
