/* SPDX-License-Identifier: GPL-3.0-or-later */
/* TLS as an OpenSSL client sees it. */
#define _GNU_SOURCE
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "support/h2_client.h"
#include "support/process.h"
#include "support/test.h"

static void assert_get(struct h2_client *client)
{
	struct response response;
	client_send_preface(client);
	assert_true(client_get(client, 1, "/", &response));
	assert_int_equal(response.status, 200);
	response_free(&response);
}

/* Connects with `options`, expects a served request and the given version and group (NULL: any). */
static void served(uint16_t port, const struct client_options *options, const char *version, int group)
{
	struct h2_client *client = client_connect(port, options);
	assert_get(client);
	assert_string_equal(SSL_get_version(client_ssl(client)), version);
	if (group != 0)
		assert_int_equal(SSL_get_negotiated_group(client_ssl(client)), group);
	const unsigned char *protocol;
	unsigned length;
	SSL_get0_alpn_selected(client_ssl(client), &protocol, &length);
	assert_int_equal(length, 2);
	assert_memory_equal(protocol, "h2", 2);
	client_close(client);
}

static void every_key_kind_with_both_versions(void **state)
{
	(void)state;
	static const char *const kinds[] = {"ec256", "ec384", "rsa2048", "rsa3072", "rsa4096", "ed25519", "chain"};
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		struct server server;
		char certificate[64], key[64];
		snprintf(certificate, sizeof(certificate), "%s.crt", kinds[i]);
		snprintf(key, sizeof(key), "%s.key", kinds[i]);
		server_start(&server, (const char *const[]){"--tls", "--cert", certificate_path(certificate), "--key",
							    certificate_path(key), "--workers", "1", NULL});
		served(server.port, &(struct client_options){.version = TLS1_3_VERSION}, "TLSv1.3", 0);
		served(server.port, &(struct client_options){.version = TLS1_2_VERSION}, "TLSv1.2", 0);
		served(server.port, &(struct client_options){.ipv6 = true}, "TLSv1.3", 0);
		server_stop(&server);
	}
}

/* The whole chain is sent: a client that trusts only the root verifies it. */
static void the_chain_verifies(void **state)
{
	(void)state;
	struct server server;
	struct outcome outcome;
	char command[600];
	server_start(&server, (const char *const[]){"--tls", "--cert", certificate_path("chain.crt"), "--key",
						    certificate_path("chain.key"), NULL});
	snprintf(command, sizeof(command),
		 "curl -sS --cacert %s https://localhost:%u/ -o /dev/null -w '%%{http_version} %%{ssl_verify_result}'",
		 certificate_path("root.crt"), server.port);
	shell_run(&outcome, 20000, command);
	if (strcmp(outcome.output, "2 0") != 0)
		fail_msg("curl says: %s %s", outcome.output, outcome.errors);
	server_stop(&server);
}

static struct server server;

static int start_server(void **state)
{
	(void)state;
	server_start_tls(&server, (const char *const[]){"--workers", "4", NULL});
	return 0;
}

static int stop_server(void **state)
{
	(void)state;
	server_stop(&server);
	return 0;
}

static void one_group_is_enough(void **state)
{
	(void)state;
	static const struct {
		const char *name;
		int group;
	} groups[] = {{"X25519", NID_X25519}, {"P-256", NID_X9_62_prime256v1}, {"P-384", NID_secp384r1}};
	for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++) {
		served(server.port, &(struct client_options){.version = TLS1_3_VERSION, .groups = groups[i].name},
		       "TLSv1.3", groups[i].group);
	}
	/* In TLS 1.2 the certificate's own curve must be among the groups (RFC 8422 section 5.1.1). */
	served(server.port, &(struct client_options){.version = TLS1_2_VERSION, .groups = "P-256"}, "TLSv1.2", 0);
	served(server.port, &(struct client_options){.version = TLS1_2_VERSION, .groups = "X25519:P-256"}, "TLSv1.2",
	       0);
	/* A key share the server does not take costs a HelloRetryRequest, no more. */
	served(server.port, &(struct client_options){.groups = "X448:P-521:P-256"}, "TLSv1.3", NID_X9_62_prime256v1);
}

static void refused(const struct client_options *options)
{
	struct client_options quiet = *options;
	quiet.expect_failure = true;
	struct h2_client *client = client_connect(server.port, &quiet);
	if (client != NULL)
		fail_msg("a handshake with %s went through",
			 options->suites != NULL ? options->suites : "these options");
}

static void weak_tls_is_refused(void **state)
{
	(void)state;
	static const char *const suites[] = {"ECDHE-ECDSA-AES128-SHA", "ECDHE-ECDSA-AES128-SHA256",
					     "AES128-GCM-SHA256",      "DHE-RSA-AES128-GCM-SHA256",
					     "ECDHE-ECDSA-NULL-SHA",   "AES256-SHA"};
	refused(&(struct client_options){.version = TLS1_VERSION});
	refused(&(struct client_options){.version = TLS1_1_VERSION});
	for (size_t i = 0; i < sizeof(suites) / sizeof(suites[0]); i++)
		refused(&(struct client_options){.version = TLS1_2_VERSION, .suites = suites[i]});
	refused(&(struct client_options){.groups = "X448"});
	refused(&(struct client_options){.alpn = "foo"});
	served(server.port,
	       &(struct client_options){.version = TLS1_2_VERSION, .suites = "ECDHE-ECDSA-CHACHA20-POLY1305"},
	       "TLSv1.2", 0);
}

/* RFC 9113 section 3.2: HTTP/2 over TLS is negotiated with ALPN or not at all. */
static void no_alpn_no_http2(void **state)
{
	(void)state;
	struct h2_client *client =
		client_connect(server.port, &(struct client_options){.alpn = "", .expect_failure = true});
	if (client != NULL) {
		struct bytes out = {0};
		put_preface(&out);
		client_send(client, &out);
		assert_int_not_equal(client_read_until_closed(client, 2000), -2);
		client_close(client);
	}
	assert_true(server_wait_log(&server, "the client offered no ALPN protocol", 5000));
}

/* Session tickets work on every worker, whichever issued them: new connections land on any of the four. */
static void resumption(int version)
{
	SSL_SESSION *session = NULL;
	for (int i = 0; i < 24; i++) {
		const struct client_options options = {.version = version, .resume = session};
		struct h2_client *client = client_connect(server.port, &options);
		assert_get(client);
		if (SSL_session_reused(client_ssl(client)) != (session != NULL))
			fail_msg("%s: connection %d was not resumed", SSL_get_version(client_ssl(client)), i);
		SSL_SESSION *newer = client_take_session(client);
		if (newer != NULL) {
			SSL_SESSION_free(session);
			session = newer;
		}
		assert_non_null(session);
		client_close(client);
	}
	SSL_SESSION_free(session);
}

static void sessions_resume_on_every_worker(void **state)
{
	(void)state;
	resumption(TLS1_3_VERSION);
	resumption(TLS1_2_VERSION);
}

/* Each connection resumes the one before, far beyond the 255 that wolfSSL counts: some shake hands fully, none fails.
 */
static void a_long_chain_of_resumptions(void **state)
{
	(void)state;
	enum { LENGTH = 600 };
	SSL_SESSION *session = NULL;
	int resumed = 0;
	for (int i = 0; i < LENGTH; i++) {
		struct h2_client *client = client_connect(server.port, &(struct client_options){.resume = session});
		assert_get(client);
		resumed += SSL_session_reused(client_ssl(client));
		SSL_SESSION_free(session);
		session = client_take_session(client);
		client_close(client);
	}
	SSL_SESSION_free(session);
	assert_true(resumed >= LENGTH - 5);
}

/* A ticket of another server (other keys) is not an error: a full handshake follows. */
static void a_foreign_ticket_is_ignored(void **state)
{
	(void)state;
	struct server other;
	server_start_tls(&other, NULL);
	struct h2_client *client = client_connect(other.port, NULL);
	assert_get(client);
	SSL_SESSION *session = client_take_session(client);
	client_close(client);
	server_stop(&other);
	assert_non_null(session);
	client = client_connect(server.port, &(struct client_options){.resume = session});
	assert_get(client);
	assert_false(SSL_session_reused(client_ssl(client)));
	client_close(client);
	SSL_SESSION_free(session);
}

/* X05: renegotiation ends the connection or is ignored; nothing is served by it. */
static void renegotiation_is_refused(void **state)
{
	(void)state;
	struct h2_client *client = client_connect(server.port, &(struct client_options){.version = TLS1_2_VERSION});
	assert_get(client);
	if (SSL_renegotiate(client_ssl(client)) == 1) {
		struct frame frame;
		SSL_do_handshake(client_ssl(client));
		assert_int_not_equal(client_read(client, &frame, 2000), READ_FRAME);
	}
	client_close(client);
}

static size_t record_client_hello(uint8_t *bytes, size_t size)
{
	SSL_CTX *context = SSL_CTX_new(TLS_client_method());
	SSL *ssl = SSL_new(context);
	SSL_set_bio(ssl, BIO_new(BIO_s_mem()), BIO_new(BIO_s_mem()));
	SSL_set_alpn_protos(ssl, (const unsigned char *)"\x02h2", 3);
	SSL_set_connect_state(ssl);
	SSL_do_handshake(ssl);
	int length = BIO_read(SSL_get_wbio(ssl), bytes, (int)size);
	SSL_free(ssl);
	SSL_CTX_free(context);
	assert_true(length > 100);
	return (size_t)length;
}

/* True when the peer sends something, or closes, within the time. */
static bool reacts(int fd, int timeout_ms, ssize_t *count)
{
	uint8_t bytes[8192];
	struct pollfd polled = {.fd = fd, .events = POLLIN};
	if (poll(&polled, 1, timeout_ms) == 0)
		return false;
	*count = recv(fd, bytes, sizeof(bytes), 0);
	return true;
}

/* X01: a ClientHello that comes one byte at a time is answered like any other. */
static void a_client_hello_byte_by_byte(void **state)
{
	(void)state;
	uint8_t hello[4096];
	ssize_t count;
	size_t length = record_client_hello(hello, sizeof(hello));
	int fd = tcp_connect(server.port, false, 0);
	for (size_t i = 0; i < length; i++)
		assert_int_equal(send(fd, hello + i, 1, MSG_NOSIGNAL), 1);
	assert_true(reacts(fd, 5000, &count));
	assert_true(count > 500);
	close(fd);
}

/* Random changes to a ClientHello, cut connections at every offset: each loses its own connection only. */
static void mangled_handshakes(void **state)
{
	(void)state;
	uint8_t hello[4096];
	size_t length = record_client_hello(hello, sizeof(hello));
	int before = server_descriptors(&server);
	unsigned random = 7;
	for (int i = 0; i < 300; i++) {
		uint8_t mangled[4096];
		random = random * 1103515245 + 12345;
		memcpy(mangled, hello, length);
		mangled[(random >> 8) % length] ^= (uint8_t)(1 << (random & 7));
		size_t cut = i % 3 == 0 ? (random >> 4) % length : length;
		int fd = tcp_connect(server.port, false, 0);
		send(fd, mangled, cut, MSG_NOSIGNAL);
		close(fd);
	}
	struct h2_client *client = client_connect(server.port, NULL);
	assert_get(client);
	client_close(client);
	for (int tries = 0; server_descriptors(&server) > before && tries < 500; tries++)
		poll(NULL, 0, 10);
	assert_true(server_descriptors(&server) <= before);
}

/* What is not TLS at all is closed with an alert. */
static void cleartext_on_the_tls_port(void **state)
{
	(void)state;
	ssize_t count;
	int fd = tcp_connect(server.port, false, 0);
	send(fd, "GET / HTTP/1.1\r\n\r\n", 18, MSG_NOSIGNAL);
	while (reacts(fd, 2000, &count) && count > 0)
		;
	assert_true(count <= 0);
	close(fd);
	fd = tcp_connect(server.port, false, 0);
	send(fd, "\x16\x03\x01\xff\xff\x01\xff\xff\xff", 9,
	     MSG_NOSIGNAL); /* X02: a record and a message of absurd length */
	while (reacts(fd, 2000, &count) && count > 0)
		;
	assert_true(count <= 0);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest own_server[] = {
		cmocka_unit_test(every_key_kind_with_both_versions),
		cmocka_unit_test(the_chain_verifies),
	};
	const struct CMUnitTest shared_server[] = {
		cmocka_unit_test(one_group_is_enough),
		cmocka_unit_test(weak_tls_is_refused),
		cmocka_unit_test(no_alpn_no_http2),
		cmocka_unit_test(sessions_resume_on_every_worker),
		cmocka_unit_test(a_long_chain_of_resumptions),
		cmocka_unit_test(a_foreign_ticket_is_ignored),
		cmocka_unit_test(renegotiation_is_refused),
		cmocka_unit_test(a_client_hello_byte_by_byte),
		cmocka_unit_test(mangled_handshakes),
		cmocka_unit_test(cleartext_on_the_tls_port),
	};
	int failed = cmocka_run_group_tests(own_server, NULL, NULL);
	return failed + cmocka_run_group_tests(shared_server, start_server, stop_server);
}
