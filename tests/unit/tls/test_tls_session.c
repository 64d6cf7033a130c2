/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Our side of TLS in memory against OpenSSL's client. */
#include "tls/tls_session.h"

#include <openssl/ssl.h>

#include "support/process.h"
#include "support/test.h"
#include "tls/tls_library.h"

static struct {
	struct tls_credentials *credentials;
	struct tls_ticket_keys *tickets;
	struct tls_context context;
	uint8_t storage[256 * 1024];
	struct buffer output;
	struct tls_session session;
	SSL_CTX *client_context;
	SSL *client;
} trial;

static int set_up(void **state)
{
	struct valk_limits limits;
	(void)state;
	struct valk_diagnostic diagnostic;
	memset(&trial, 0, sizeof(trial));
	assert_int_equal(tls_library_init(), VALK_OK);
	assert_int_equal(tls_credentials_load(certificate_path("ec256.crt"), certificate_path("ec256.key"),
					      &trial.credentials, &diagnostic),
			 VALK_OK);
	trial.tickets = tls_ticket_keys_create(0);
	buffer_init(&trial.output, trial.storage, sizeof(trial.storage));
	valk_limits_init(&limits);
	assert_int_equal(
		tls_context_init(&trial.context, trial.credentials, trial.tickets, &limits, &trial.output, &diagnostic),
		VALK_OK);
	assert_int_equal(tls_session_init(&trial.session, &trial.context, "h2"), VALK_OK);
	trial.client_context = SSL_CTX_new(TLS_client_method());
	trial.client = SSL_new(trial.client_context);
	SSL_set_bio(trial.client, BIO_new(BIO_s_mem()), BIO_new(BIO_s_mem()));
	SSL_set_alpn_protos(trial.client, (const unsigned char *)"\x02h2", 3);
	SSL_set_connect_state(trial.client);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	SSL_free(trial.client);
	SSL_CTX_free(trial.client_context);
	tls_session_dispose(&trial.session);
	tls_context_dispose(&trial.context);
	tls_ticket_keys_destroy(trial.tickets);
	tls_credentials_destroy(trial.credentials);
	tls_library_dispose();
	return 0;
}

/* Passes what the client wrote to the session, in pieces of `step`; plaintext is collected. */
static enum valk_error serve(size_t step, char *plaintext, size_t size)
{
	enum valk_error error = VALK_ERROR_AGAIN;
	size_t used = 0;
	static uint8_t bytes[100000];
	int count = BIO_read(SSL_get_wbio(trial.client), bytes, sizeof(bytes));
	for (int at = 0; at < count && error == VALK_ERROR_AGAIN; at += (int)step) {
		size_t length = (size_t)(count - at) < step ? (size_t)(count - at) : step;
		size_t read;
		tls_session_feed(&trial.session, bytes + at, length);
		while ((error = tls_session_read(&trial.session, (uint8_t *)plaintext + used, size - used, &read)) ==
		       VALK_OK)
			used += read;
	}
	BIO_write(SSL_get_rbio(trial.client), buffer_head(&trial.output), (int)buffer_length(&trial.output));
	buffer_clear(&trial.output);
	plaintext[used] = '\0';
	return error;
}

static void shake_hands(size_t step)
{
	char plaintext[100];
	for (int i = 0; i < 10 && !SSL_is_init_finished(trial.client); i++) {
		SSL_do_handshake(trial.client);
		if (serve(step, plaintext, sizeof(plaintext)) != VALK_ERROR_AGAIN) {
			tls_session_failure(&trial.session, plaintext, sizeof(plaintext));
			fail_msg("the handshake failed: %s", plaintext);
		}
	}
	assert_true(SSL_is_init_finished(trial.client));
	SSL_do_handshake(trial.client);
	assert_true(trial.session.established);
}

static void exchange(size_t step)
{
	char plaintext[1000];
	static uint8_t large[50000];
	static uint8_t received[60000];
	shake_hands(step);
	assert_int_equal(SSL_write(trial.client, "hello", 5), 5);
	assert_int_equal(serve(step, plaintext, sizeof(plaintext)), VALK_ERROR_AGAIN);
	assert_string_equal(plaintext, "hello");
	for (size_t i = 0; i < sizeof(large); i++)
		large[i] = (uint8_t)(i * 7);
	assert_int_equal(tls_session_seal(&trial.session, large, sizeof(large)), VALK_OK);
	serve(step, plaintext, sizeof(plaintext));
	size_t length = 0;
	int count;
	while ((count = SSL_read(trial.client, received + length, (int)(sizeof(received) - length))) > 0)
		length += (size_t)count;
	assert_int_equal(length, sizeof(large));
	assert_memory_equal(received, large, sizeof(large));
}

static void whole_flights(void **state)
{
	(void)state;
	exchange(100000);
	assert_string_equal(SSL_get_version(trial.client), "TLSv1.3");
}

static void byte_by_byte(void **state)
{
	(void)state;
	exchange(1);
}

static void tls_1_2(void **state)
{
	(void)state;
	SSL_set_max_proto_version(trial.client, TLS1_2_VERSION);
	exchange(7);
	assert_string_equal(SSL_get_version(trial.client), "TLSv1.2");
}

static void close_notify_is_seen_and_sent(void **state)
{
	(void)state;
	char plaintext[100];
	shake_hands(100000);
	SSL_shutdown(trial.client);
	assert_int_equal(serve(100000, plaintext, sizeof(plaintext)), VALK_ERROR_CLOSED);
	tls_session_shutdown(&trial.session);
	serve(100000, plaintext, sizeof(plaintext));
	assert_int_equal(SSL_shutdown(trial.client), 1);
}

static void rubbish_is_refused_with_an_alert(void **state)
{
	(void)state;
	char reason[128];
	uint8_t plaintext[100];
	size_t length;
	tls_session_feed(&trial.session, (const uint8_t *)"GET / HTTP/1.1\r\n\r\n", 18);
	assert_int_equal(tls_session_read(&trial.session, plaintext, sizeof(plaintext), &length), VALK_ERROR_TLS);
	tls_session_failure(&trial.session, reason, sizeof(reason));
	assert_true(strlen(reason) > 5);
}

static void a_flipped_bit_is_seen(void **state)
{
	(void)state;
	uint8_t bytes[200], plaintext[100];
	size_t length;
	shake_hands(100000);
	SSL_write(trial.client, "hello", 5);
	int count = BIO_read(SSL_get_wbio(trial.client), bytes, sizeof(bytes));
	bytes[count - 1] ^= 1;
	tls_session_feed(&trial.session, bytes, (size_t)count);
	assert_int_equal(tls_session_read(&trial.session, plaintext, sizeof(plaintext), &length), VALK_ERROR_TLS);
}

static void an_output_without_room_ends_the_session(void **state)
{
	(void)state;
	uint8_t block[16384] = {0};
	shake_hands(100000);
	while (buffer_room(&trial.output) > sizeof(block) + TLS_RECORD_OVERHEAD_MAX)
		assert_int_equal(tls_session_seal(&trial.session, block, sizeof(block)), VALK_OK);
	assert_int_equal(tls_session_seal(&trial.session, block, sizeof(block)), VALK_ERROR_TLS);
}

#define with_trial(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

/* A client may send a whole upload right behind its Finished: that is no handshake (L14). */
static void data_right_behind_the_handshake(void **state)
{
	(void)state;
	static char plaintext[70000];
	static uint8_t large[60000];
	SSL_do_handshake(trial.client);
	assert_int_equal(serve(100000, plaintext, sizeof(plaintext)), VALK_ERROR_AGAIN);
	assert_int_equal(SSL_do_handshake(trial.client), 1);
	assert_int_equal(SSL_write(trial.client, large, sizeof(large)), sizeof(large));
	assert_int_equal(serve(100000, plaintext, sizeof(plaintext)), VALK_ERROR_AGAIN);
	assert_true(trial.session.established);
	assert_false(tls_session_passed_limit(&trial.session));
}

/* L14. wolfSSL ends most long handshakes by itself before the default is reached, so here it is small. */
static void a_long_handshake_passes_the_limit(void **state)
{
	(void)state;
	char plaintext[100];
	trial.context.handshake_bytes_max = 200;
	SSL_do_handshake(trial.client);
	assert_int_equal(serve(50, plaintext, sizeof(plaintext)), VALK_ERROR_LIMIT);
	assert_true(tls_session_passed_limit(&trial.session));
	assert_in_range(trial.session.handshake_bytes, 201, 250);
}

/* L14: KeyUpdates in a row (RFC 8446 section 4.6.3); data between them makes them legal. */
static void records_without_data_pass_the_limit(void **state)
{
	(void)state;
	char plaintext[200];
	shake_hands(100000);
	for (int i = 0; i < 100; i++) {
		assert_int_equal(SSL_key_update(trial.client, SSL_KEY_UPDATE_NOT_REQUESTED), 1);
		assert_int_equal(SSL_write(trial.client, "x", 1), 1);
	}
	assert_int_equal(serve(100000, plaintext, sizeof(plaintext)), VALK_ERROR_AGAIN);
	assert_int_equal(strlen(plaintext), 100);
	for (int i = 0; i < 33; i++) {
		assert_int_equal(SSL_key_update(trial.client, SSL_KEY_UPDATE_NOT_REQUESTED), 1);
		assert_int_equal(SSL_do_handshake(trial.client), 1);
	}
	assert_int_equal(SSL_write(trial.client, "x", 1), 1);
	assert_int_equal(serve(100000, plaintext, sizeof(plaintext)), VALK_ERROR_LIMIT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		with_trial(whole_flights),
		with_trial(byte_by_byte),
		with_trial(tls_1_2),
		with_trial(close_notify_is_seen_and_sent),
		with_trial(rubbish_is_refused_with_an_alert),
		with_trial(a_flipped_bit_is_seen),
		with_trial(an_output_without_room_ends_the_session),
		with_trial(data_right_behind_the_handshake),
		with_trial(a_long_handshake_passes_the_limit),
		with_trial(records_without_data_pass_the_limit),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
