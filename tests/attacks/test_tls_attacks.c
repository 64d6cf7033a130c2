/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The public scorecard's lines X: broken, weak and abusive TLS. The bytes are made by OpenSSL and then broken. */
#define _GNU_SOURCE
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "support/scorecard.h"
#include "support/test.h"

enum {
	HELLO_MAX = 4096,
	PATIENCE_MS = 3000,
	ALERT_RECORD = 21,		     /* RFC 8446 section 5.1 */
	ALERT_NO_APPLICATION_PROTOCOL = 120, /* RFC 7301 section 3.2 */
	HANDSHAKE_OFFSETS = 10,
	CLOSES_AT_EACH = 20,
};

/* A TLS client in memory; its ClientHello is written to `hello`. */
static SSL *make_client(SSL_CTX *context, uint8_t *hello, size_t *length)
{
	SSL *ssl = SSL_new(context);
	SSL_set_bio(ssl, BIO_new(BIO_s_mem()), BIO_new(BIO_s_mem()));
	SSL_set_alpn_protos(ssl, (const unsigned char *)"\x02h2", 3);
	SSL_set_connect_state(ssl);
	SSL_do_handshake(ssl);
	*length = (size_t)BIO_read(SSL_get_wbio(ssl), hello, HELLO_MAX);
	assert_true(*length > 100 && *length < HELLO_MAX);
	return ssl;
}

/* Sends raw bytes; false when the server has closed. */
static bool send_raw(int fd, const void *bytes, size_t length)
{
	return send(fd, bytes, length, MSG_NOSIGNAL) == (ssize_t)length;
}

/* Reads until the server closes; fails after PATIENCE_MS of silence. Returns what came first. */
static size_t read_to_end(int fd, uint8_t *first, size_t size)
{
	size_t length = 0;
	for (;;) {
		uint8_t lost[4096];
		struct pollfd polled = {.fd = fd, .events = POLLIN};
		if (poll(&polled, 1, PATIENCE_MS) == 0)
			fail_msg("the server did not close");
		bool room = length < size;
		ssize_t count = recv(fd, room ? first + length : lost, room ? size - length : sizeof(lost), 0);
		if (count <= 0)
			return length;
		if (room)
			length += (size_t)count;
	}
}

static void x01_client_hello_byte_by_byte(uint16_t port)
{
	uint8_t hello[HELLO_MAX], answer[8192];
	size_t length;
	SSL_CTX *context = SSL_CTX_new(TLS_client_method());
	SSL *ssl = make_client(context, hello, &length);
	int fd = tcp_connect(port, false, 0);
	for (size_t i = 0; i < length; i++)
		assert_true(send_raw(fd, hello + i, 1));
	while (!SSL_is_init_finished(ssl)) {
		struct pollfd polled = {.fd = fd, .events = POLLIN};
		assert_int_equal(poll(&polled, 1, PATIENCE_MS), 1);
		ssize_t count = recv(fd, answer, sizeof(answer), 0);
		assert_true(count > 0);
		BIO_write(SSL_get_rbio(ssl), answer, (int)count);
		SSL_do_handshake(ssl);
	}
	close(fd);
	SSL_free(ssl);
	SSL_CTX_free(context);
}

/* 60 KB that claim to be one ClientHello, and a message of 2^24 - 1 bytes. */
static void x02_client_hello_too_large(uint16_t port)
{
	static const uint8_t headers[2][9] = {
		{0x16, 0x03, 0x01, 0x3f, 0xff, 0x01, 0x00, 0xea, 0x60},
		{0x16, 0x03, 0x01, 0x3f, 0xff, 0x01, 0xff, 0xff, 0xff},
	};
	for (int kind = 0; kind < 2; kind++) {
		uint8_t record[5 + 0x3fff] = {0}, answer[64];
		int fd = tcp_connect(port, false, 0);
		size_t sent = 0;
		memcpy(record, headers[kind], sizeof(headers[kind]));
		memcpy(record + 9, "\x03\x03", 2);
		while (sent < 64 * 1024 && send_raw(fd, record, sizeof(record))) {
			sent += sizeof(record);
			memset(record + 5, 0, sizeof(record) - 5); /* what follows is more of the message */
		}
		read_to_end(fd, answer, sizeof(answer));
		close(fd);
	}
}

static void x03_alpn(uint16_t port)
{
	uint8_t hello[HELLO_MAX], answer[8192];
	size_t length;
	SSL_CTX *context = SSL_CTX_new(TLS_client_method());
	SSL *ssl = make_client(context, hello, &length);
	/* "foo" in the place of "h2": the extension 16, its length 5, the list's 3, the name's 2. */
	uint8_t *alpn = memmem(hello, length, "\x00\x10\x00\x05\x00\x03\x02h2", 9);
	assert_non_null(alpn);
	memcpy(alpn + 7, "zz", 2);
	int fd = tcp_connect(port, false, 0);
	assert_true(send_raw(fd, hello, length));
	size_t count = read_to_end(fd, answer, sizeof(answer));
	assert_true(count >= 7);
	assert_int_equal(answer[0], ALERT_RECORD);
	assert_int_equal(answer[6], ALERT_NO_APPLICATION_PROTOCOL);
	close(fd);
	/* Lists that lie about their length. */
	static const uint8_t lies[][5] = {{0x00, 0x03, 0xff, 'h', '2'}, {0x00, 0xff, 0x02, 'h', '2'},
					  {0x00, 0x03, 0x00, 'h', '2'}, {0x00, 0x00, 0x02, 'h', '2'},
					  {0xff, 0xff, 0xff, 'h', '2'}, {0x00, 0x02, 0x02, 'h', '2'}};
	for (size_t i = 0; i < sizeof(lies) / sizeof(lies[0]); i++) {
		memcpy(alpn + 4, lies[i], sizeof(lies[i]));
		fd = tcp_connect(port, false, 0);
		assert_true(send_raw(fd, hello, length));
		read_to_end(fd, answer, sizeof(answer));
		close(fd);
	}
	SSL_free(ssl);
	SSL_CTX_free(context);
}

static void x04_weak_versions_and_suites(uint16_t port)
{
	static const char *const suites[] = {"ECDHE-ECDSA-AES128-SHA",
					     "ECDHE-ECDSA-AES256-SHA384",
					     "ECDHE-ECDSA-NULL-SHA",
					     "AES128-GCM-SHA256",
					     "AES256-SHA",
					     "NULL-SHA256"};
	struct client_options options = {.version = TLS1_VERSION, .expect_failure = true};
	assert_null(client_connect(port, &options));
	options.version = TLS1_1_VERSION;
	assert_null(client_connect(port, &options));
	options.version = TLS1_2_VERSION;
	for (size_t i = 0; i < sizeof(suites) / sizeof(suites[0]); i++) {
		options.suites = suites[i];
		assert_null(client_connect(port, &options));
	}
}

static void x05_renegotiation(uint16_t port)
{
	struct bytes out = {0};
	struct frame frame;
	struct h2_client *client = client_connect(port, &(struct client_options){.version = TLS1_2_VERSION});
	client_send_preface(client);
	assert_int_equal(SSL_renegotiate(client_ssl(client)), 1);
	SSL_do_handshake(client_ssl(client));
	put_request(&out, 1, FLAG_END_STREAM, "GET", "/");
	client_send(client, &out);
	enum read_result result;
	while ((result = client_read(client, &frame, 1000)) == READ_FRAME)
		;
	assert_int_equal(result, READ_CLOSED);
	client_close(client);
}

/* The whole of a client's bytes up to its first request, cut off at different places. */
static void x08_close_in_the_handshake(uint16_t port)
{
	uint8_t hello[HELLO_MAX];
	size_t length;
	SSL_CTX *context = SSL_CTX_new(TLS_client_method());
	SSL *ssl = make_client(context, hello, &length);
	for (size_t offset = 0; offset < HANDSHAKE_OFFSETS; offset++) {
		for (int i = 0; i < CLOSES_AT_EACH; i++) {
			int fd = tcp_connect(port, false, 0);
			size_t cut = length * (offset + 1) / HANDSHAKE_OFFSETS;
			assert_true(send_raw(fd, hello, cut));
			if (i % 2 == 0) { /* half of them with RST */
				struct linger now = {.l_onoff = 1};
				setsockopt(fd, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
			}
			close(fd);
		}
	}
	SSL_free(ssl);
	SSL_CTX_free(context);
}

static void x09_broken_records(uint16_t port)
{
	uint8_t record[256], answer[8192];
	/* A record of the right length whose tag cannot be right. */
	struct h2_client *client = client_connect(port, NULL);
	client_send_preface(client);
	memset(record, 0x5a, sizeof(record));
	memcpy(record, "\x17\x03\x03\x00\xfb", 5);
	assert_true(send_raw(client_socket(client), record, sizeof(record)));
	read_to_end(client_socket(client), answer, sizeof(answer));
	client_close(client);
	/* The end of the stream without close_notify, in the middle of a record. */
	client = client_connect(port, NULL);
	client_send_preface(client);
	assert_true(send_raw(client_socket(client), record, 100));
	shutdown(client_socket(client), SHUT_WR);
	read_to_end(client_socket(client), answer, sizeof(answer));
	client_close(client);
}

static void l14_key_updates(uint16_t port)
{
	struct frame frame;
	struct h2_client *client = client_connect(port, &(struct client_options){.version = TLS1_3_VERSION});
	client_send_preface(client);
	/* A few belong to a long connection. */
	for (int i = 0; i < 20; i++) {
		struct response response;
		assert_int_equal(SSL_key_update(client_ssl(client), SSL_KEY_UPDATE_NOT_REQUESTED), 1);
		assert_true(client_get(client, 2 * i + 1, "/", &response));
		assert_int_equal(response.status, 200);
		response_free(&response);
	}
	for (int i = 0; i < 1000; i++) {
		SSL_key_update(client_ssl(client), SSL_KEY_UPDATE_NOT_REQUESTED);
		if (SSL_do_handshake(client_ssl(client)) != 1)
			break;
	}
	while (client_read(client, &frame, PATIENCE_MS) == READ_FRAME)
		;
	client_close(client);
	assert_true(server_wait_log(scorecard_server(),
				    "tls-empty-records (TLS records in a row without data: 33, limit 32)", 2000));
}

int main(void)
{
	const struct CMUnitTest lines[] = {
		scorecard_line(x01_client_hello_byte_by_byte),
		scorecard_line(x02_client_hello_too_large),
		scorecard_line(x03_alpn),
		scorecard_line(x04_weak_versions_and_suites),
		scorecard_line(x05_renegotiation),
		scorecard_line(x08_close_in_the_handshake),
		scorecard_line(x09_broken_records),
		scorecard_line(l14_key_updates),
	};
	return cmocka_run_group_tests(lines, scorecard_set_up, scorecard_stop);
}
