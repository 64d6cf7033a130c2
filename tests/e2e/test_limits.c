/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The limits of docs/architecture.md with short times: the offender is ended, a legal client just below is not. */
#define _GNU_SOURCE
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "support/clock.h"
#include "support/h2_client.h"
#include "support/process.h"
#include "support/test.h"

/* Waits until the peer closes; the time it took in ms, -1 when it did not. */
static int64_t time_to_close(int fd, int timeout_ms)
{
	int64_t start = now_ms();
	char bytes[4096];
	for (;;) {
		int64_t left = start + timeout_ms - now_ms();
		struct pollfd polled = {.fd = fd, .events = POLLIN};
		if (left <= 0 || poll(&polled, 1, (int)left) == 0)
			return -1;
		if (recv(fd, bytes, sizeof(bytes), 0) <= 0)
			return now_ms() - start;
	}
}

static void assert_served(struct h2_client *client, int32_t id)
{
	struct response response;
	assert_true(client_get(client, id, "/", &response));
	assert_int_equal(response.status, 200);
	response_free(&response);
}

/* L1: silence, half a ClientHello, and TLS without a preface. */
static void the_handshake_has_a_time(void **state)
{
	(void)state;
	struct server server;
	server_start_tls(&server, (const char *const[]){"--handshake-timeout", "600ms", NULL});
	int silent = tcp_connect(server.port, false, 0);
	int half = tcp_connect(server.port, false, 0);
	send(half, "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 11, MSG_NOSIGNAL);
	struct h2_client *mute = client_connect(server.port, NULL);
	int64_t elapsed = time_to_close(silent, 5000);
	assert_true(elapsed >= 400);
	assert_true(time_to_close(half, 2000) >= 0);
	assert_int_not_equal(client_read_until_closed(mute, 2000), -2);
	assert_true(server_wait_log(&server, "handshake-timeout (ms without TLS and HTTP/2 preface: ", 1000));
	close(silent);
	close(half);
	client_close(mute);
	server_stop(&server);
}

/* L2: an idle connection is told to go, also one that sends a PING now and then; one with requests stays. */
static void idle_connections_are_ended(void **state)
{
	(void)state;
	struct server server;
	struct frame frame;
	server_start_tls(&server, (const char *const[]){"--verbose", "--idle-timeout", "700ms", NULL});
	struct h2_client *busy = client_connect(server.port, NULL);
	struct h2_client *idle = client_connect(server.port, NULL);
	client_send_preface(busy);
	client_send_preface(idle);
	assert_served(idle, 1);
	int64_t start = now_ms();
	int32_t id = 1;
	bool told = false;
	while (!told) {
		struct bytes out = {0};
		assert_served(busy, id);
		id += 2;
		put_frame(&out, FRAME_PING, 0, 0, "awake?!?", 8);
		client_send(idle, &out);
		enum read_result result = client_read_type(idle, FRAME_GOAWAY, &frame, 100);
		assert_int_not_equal(result, READ_CLOSED);
		told = result == READ_FRAME;
		assert_true(now_ms() - start < 5000);
	}
	assert_true(now_ms() - start >= 500);
	assert_int_equal(read_u32(frame.payload + 4), CODE_NO_ERROR);
	assert_int_equal(read_u32(frame.payload), 1); /* the last request that was served */
	assert_int_equal(client_read_until_closed(idle, 2000), -1);
	assert_served(busy, id);
	client_close(busy);
	client_close(idle);
	server_stop(&server);
	assert_contains(server.log, "idle (ms without a request: "); /* with --verbose */
	assert_contains(server.log, "idle 1");
}

/* L3: a header block that never ends. */
static void header_blocks_have_a_time(void **state)
{
	(void)state;
	struct server server;
	struct bytes out = {0};
	server_start_tls(&server, (const char *const[]){"--header-timeout", "500ms", NULL});
	struct h2_client *client = client_connect(server.port, NULL);
	struct frame frame;
	client_send_preface(client);
	/* Its acknowledgement of the settings must not come into the middle of the block. */
	assert_int_equal(client_read_type(client, FRAME_SETTINGS, &frame, 5000), READ_FRAME);
	put_frame(&out, FRAME_HEADERS, FLAG_END_STREAM, 1, "\x82", 1);
	assert_true(client_send(client, &out));
	assert_int_equal(client_read_until_closed(client, 5000), CODE_ENHANCE_YOUR_CALM);
	client_close(client);
	server_stop(&server);
}

/* L3: a body below the rate gets 408, one just above it is served. */
static void bodies_have_a_rate(void **state)
{
	(void)state;
	struct server server;
	struct response response;
	char content[1000] = "";
	server_start_tls(&server, (const char *const[]){"--body-grace", "300ms", "--min-body-rate", "500", NULL});
	struct h2_client *slow = client_connect(server.port, NULL);
	struct h2_client *steady = client_connect(server.port, NULL);
	struct bytes out = {0};
	client_send_preface(slow);
	client_send_preface(steady);
	put_request(&out, 1, 0, "POST", "/");
	assert_true(client_send(slow, &out));
	put_request(&out, 1, 0, "POST", "/");
	assert_true(client_send(steady, &out));
	int64_t start = now_ms();
	while (now_ms() - start < 2500) {
		put_frame(&out, FRAME_DATA, 0, 1, content, 120);
		assert_true(client_send(steady, &out));
		poll(NULL, 0, 100); /* the pace of the test's client, 1,200 bytes a second */
	}
	put_frame(&out, FRAME_DATA, FLAG_END_STREAM, 1, content, 1);
	assert_true(client_send(steady, &out));
	assert_true(client_read_response(steady, 1, &response, 5000));
	assert_int_equal(response.status, 200);
	response_free(&response);
	assert_true(client_read_response(slow, 1, &response, 5000));
	assert_int_equal(response.status, 408);
	response_free(&response);
	assert_served(slow, 3);
	client_close(slow);
	client_close(steady);
	server_stop(&server);
}

/* L4: a response that nobody takes, because the window is shut, is reset; memory stays small meanwhile. */
static void a_shut_window_has_a_time(void **state)
{
	(void)state;
	struct server server;
	struct bytes out = {0};
	struct response response;
	server_start_tls(&server, (const char *const[]){"--send-timeout", "700ms", NULL});
	struct h2_client *client = client_connect(server.port, NULL);
	client_send_preface(client);
	put_setting(&out, 4, 0);
	for (int i = 0; i < 100; i++)
		put_request(&out, 2 * i + 1, FLAG_END_STREAM, "GET", "/");
	assert_true(client_send(client, &out));
	assert_true(client_read_response(client, 1, &response, 5000));
	assert_int_equal(response.reset_code, CODE_CANCEL);
	assert_true(server_wait_log(&server, "stream 1: send-timeout", 2000));
	client_close(client);
	server_stop(&server);
}

/* L4 and L10: 50 clients with open windows that never read a large body: bounded memory, then closed. */
static void a_client_that_does_not_read_has_a_time(void **state)
{
	(void)state;
	enum { CLIENTS = 50 };
	struct server server;
	struct h2_client *clients[CLIENTS];
	struct outcome outcome;
	char command[200], path[100];
	snprintf(path, sizeof(path), "/tmp/valkyrie-body-%d", (int)getpid());
	snprintf(command, sizeof(command), "head -c 10000000 /dev/zero > %s", path);
	shell_run(&outcome, 20000, command);
	server_start_tls(&server, (const char *const[]){"--send-timeout", "1500ms", "--body-file", path, NULL});
	unlink(path);
	long before = server_rss_kib(&server);
	int descriptors = server_descriptors(&server);
	for (int i = 0; i < CLIENTS; i++) {
		struct bytes out = {0};
		clients[i] = client_connect(server.port, &(struct client_options){.receive_buffer = 4096});
		put_preface(&out);
		put_setting(&out, 4, 0x7fffffff);
		put_window_update(&out, 0, 0x7fffffff - 65535);
		put_request(&out, 1, FLAG_END_STREAM, "GET", "/");
		assert_true(client_send(clients[i], &out));
	}
	assert_true(server_wait_log(&server, "send-timeout (ms without the client reading: ", 10000));
	long during = server_rss_kib(&server);
	if (!is_instrumented() && during - before > CLIENTS * 300)
		fail_msg("%ld KiB for %d clients that do not read", during - before, CLIENTS);
	for (int tries = 0; server_descriptors(&server) > descriptors && tries < 1000; tries++)
		poll(NULL, 0, 10);
	assert_true(server_descriptors(&server) <= descriptors);
	/* All of them are closed; what the kernel still holds can be read, then comes the end. */
	for (int i = 0; i < CLIENTS; i++) {
		struct frame frame;
		enum read_result result;
		while ((result = client_read(clients[i], &frame, 8000)) == READ_FRAME)
			;
		assert_int_equal(result, READ_CLOSED);
		client_close(clients[i]);
	}
	server_stop(&server);
}

/* A slow reader that does read gets everything. */
static void a_slow_reader_gets_everything(void **state)
{
	(void)state;
	struct server server;
	struct response response;
	struct bytes out = {0};
	char path[100];
	struct outcome outcome;
	char command[200];
	snprintf(path, sizeof(path), "/tmp/valkyrie-body-%d", (int)getpid());
	snprintf(command, sizeof(command), "head -c 3000000 /dev/urandom > %s", path);
	shell_run(&outcome, 20000, command);
	server_start_tls(&server, (const char *const[]){"--body-file", path, NULL});
	struct h2_client *client = client_connect(server.port, &(struct client_options){.receive_buffer = 4096});
	client_send_preface(client);
	put_setting(&out, 4, 7000); /* a small, odd window */
	put_request(&out, 1, FLAG_END_STREAM, "GET", "/");
	assert_true(client_send(client, &out));
	assert_true(client_read_response(client, 1, &response, 20000));
	assert_int_equal(response.body.length, 3000000);
	FILE *file = fopen(path, "r");
	uint8_t *expected = malloc(3000000);
	assert_int_equal(fread(expected, 1, 3000000, file), 3000000);
	assert_memory_equal(expected, response.body.data, 3000000);
	fclose(file);
	free(expected);
	unlink(path);
	response_free(&response);
	client_close(client);
	server_stop(&server);
}

/* L13: above the limit clients wait in the kernel and are served when another leaves. */
static void connections_are_limited(void **state)
{
	(void)state;
	struct server server;
	server_start(&server, (const char *const[]){"--workers", "1", "--max-connections", "3", NULL});
	struct h2_client *clients[4];
	for (int i = 0; i < 4; i++) {
		clients[i] = client_connect(server.port, &(struct client_options){.cleartext = true});
		client_send_preface(clients[i]);
	}
	for (int i = 0; i < 3; i++)
		assert_served(clients[i], 1);
	struct frame frame;
	assert_int_equal(client_read(clients[3], &frame, 300), READ_TIMEOUT);
	long long cpu = server_cpu_us(&server);
	assert_int_equal(client_read(clients[3], &frame, 1000), READ_TIMEOUT);
	assert_true(server_cpu_us(&server) - cpu < 200000); /* it rests meanwhile */
	client_close(clients[0]);
	assert_served(clients[3], 1);
	for (int i = 1; i < 4; i++)
		client_close(clients[i]);
	server_stop(&server);
}

static void put_ping(struct bytes *out)
{
	put_frame(out, FRAME_PING, 0, 0, "12345678", 8);
}

static void put_settings(struct bytes *out)
{
	put_setting(out, 4, 65535);
}

static void put_seven_entries(struct bytes *out)
{
	static const uint8_t entries[7 * 6];
	put_frame(out, FRAME_SETTINGS, 0, 0, entries, sizeof(entries));
}

static void put_continuation(struct bytes *out)
{
	if (out->length == 0)
		put_frame(out, FRAME_HEADERS, FLAG_END_STREAM, 1, "\x82", 1);
	put_frame(out, FRAME_CONTINUATION, 0, 1, NULL, 0);
}

static void put_reset_request(struct bytes *out)
{
	int32_t id = (int32_t)(out->length / 60) * 2 + 1; /* grows with every request */
	put_request(out, id, FLAG_END_STREAM, "GET", "/");
	put_reset(out, id, CODE_CANCEL);
}

/* Its body is longer than it announced. */
static void put_broken_request(struct bytes *out)
{
	static const struct header headers[] = {{":method", "POST"},
						{":scheme", "https"},
						{":authority", "localhost"},
						{":path", "/"},
						{"content-length", "1"}};
	int32_t id = (int32_t)(out->length / 60) * 2 + 1;
	put_headers(out, id, 0, headers, sizeof(headers) / sizeof(headers[0]));
	put_frame(out, FRAME_DATA, 0, id, "xx", 2);
}

static void put_empty_data(struct bytes *out)
{
	if (out->length == 0)
		put_request(out, 1, 0, "POST", "/");
	put_frame(out, FRAME_DATA, 0, 1, NULL, 0);
}

/* Each limit of HTTP/2 that has an option obeys it, names it in the log, and ends with ENHANCE_YOUR_CALM. */
static void flood_limits_are_options(void **state)
{
	(void)state;
	static const struct {
		const char *option, *value;
		void (*put)(struct bytes *out);
		int count;
		const char *line, *counter;
	} cases[] = {
		{"--max-pings", "5", put_ping, 6, "pings (PING frames in 10 s: 6, limit 5)", "pings 1"},
		{"--max-settings", "5", put_settings, 5, "settings (SETTINGS frames in 10 s: 6, limit 5)",
		 "settings 1"},
		{"--max-settings-entries", "6", put_seven_entries, 1, "(entries of one SETTINGS frame: 7, limit 6)",
		 "settings 1"},
		{"--max-continuations", "3", put_continuation, 4,
		 "continuations (CONTINUATION frames of one header block: 4, limit 3)", "continuations 1"},
		{"--max-resets", "4", put_reset_request, 5,
		 "client-resets (requests reset before their answer: 5, limit 4)", "client-resets 1"},
		{"--max-stream-errors", "4", put_broken_request, 5,
		 "stream-errors (streams the client made us reset: 5, limit 4)", "stream-errors 1"},
		{"--overhead-allowance", "64K", put_empty_data, 1100,
		 "overhead (bytes beside requests and bodies: ", "overhead 1"},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct server server;
		struct bytes out = {0};
		struct frame frame;
		server_start_tls(&server, (const char *const[]){cases[i].option, cases[i].value, NULL});
		struct h2_client *client = client_connect(server.port, NULL);
		client_send_preface(client);
		/* Its acknowledgement of the settings must not come into the middle of a header block. */
		assert_int_equal(client_read_type(client, FRAME_SETTINGS, &frame, 5000), READ_FRAME);
		for (int k = 0; k < cases[i].count; k++)
			cases[i].put(&out);
		client_send(client, &out);
		int code = client_read_until_closed(client, 5000);
		if (code != CODE_ENHANCE_YOUR_CALM || !server_wait_log(&server, cases[i].line, 2000))
			fail_msg("%s: GOAWAY %d, log:\n%s", cases[i].option, code, server.log);
		client_close(client);
		server_stop(&server);
		assert_contains(server.log, cases[i].counter); /* in the sums at the end: counted once, by its name */
	}
}

/* A phone on a bad network: every byte in a TLS record of its own, with pauses. */
static void a_dribbled_request_is_served(void **state)
{
	(void)state;
	struct server server;
	struct bytes whole = {0};
	struct response response;
	server_start_tls(&server, NULL);
	struct h2_client *client = client_connect(server.port, NULL);
	put_preface(&whole);
	put_request(&whole, 1, FLAG_END_STREAM, "GET", "/");
	for (size_t i = 0; i < whole.length; i++) {
		struct bytes byte = {0};
		bytes_append(&byte, whole.data + i, 1);
		assert_true(client_send(client, &byte));
		poll(NULL, 0, 5); /* the pace of the test's client */
	}
	assert_true(client_read_response(client, 1, &response, 5000));
	assert_int_equal(response.status, 200);
	response_free(&response);
	bytes_free(&whole);
	client_close(client);
	server_stop(&server);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_handshake_has_a_time),
		cmocka_unit_test(idle_connections_are_ended),
		cmocka_unit_test(header_blocks_have_a_time),
		cmocka_unit_test(bodies_have_a_rate),
		cmocka_unit_test(a_shut_window_has_a_time),
		cmocka_unit_test(a_client_that_does_not_read_has_a_time),
		cmocka_unit_test(a_slow_reader_gets_everything),
		cmocka_unit_test(connections_are_limited),
		cmocka_unit_test(flood_limits_are_options),
		cmocka_unit_test(a_dribbled_request_is_served),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
