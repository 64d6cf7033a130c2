/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Start, signals, graceful end, restart. */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

#include "support/h2_client.h"
#include "support/process.h"
#include "support/test.h"

static void assert_served(struct h2_client *client, int32_t id)
{
	struct response response;
	assert_true(client_get(client, id, "/", &response));
	assert_int_equal(response.status, 200);
	response_free(&response);
}

static void cleartext_with_prior_knowledge(void **state)
{
	(void)state;
	struct server server;
	server_start(&server, NULL);
	assert_contains(server.log, "listening    http://127.0.0.1:");
	for (int family = 0; family < 2; family++) {
		const struct client_options options = {.cleartext = true, .ipv6 = family == 1};
		struct h2_client *client = client_connect(server.port, &options);
		client_send_preface(client);
		assert_served(client, 1);
		client_close(client);
	}
	/* HTTP/1.1 on this port is refused. */
	struct bytes out = {0};
	struct h2_client *client = client_connect(server.port, &(struct client_options){.cleartext = true});
	bytes_append(&out, "GET / HTTP/1.1\r\nHost: a\r\n\r\n", 27);
	client_send(client, &out);
	assert_int_not_equal(client_read_until_closed(client, 1000), -2);
	client_close(client);
	server_stop(&server);
}

static void harmless_signals(void **state)
{
	(void)state;
	static const int numbers[] = {SIGHUP, SIGUSR1, SIGUSR2, SIGPIPE};
	static const char *const lines[] = {"SIGHUP: ", "SIGUSR1: ", "SIGUSR2: ", NULL};
	struct server server;
	server_start_tls(&server, NULL);
	struct h2_client *client = client_connect(server.port, NULL);
	client_send_preface(client);
	for (int i = 0; i < 4; i++) {
		server_signal(&server, numbers[i]);
		if (lines[i] != NULL)
			assert_true(server_wait_log(&server, lines[i], 5000));
		assert_served(client, 2 * i + 1);
	}
	client_close(client);
	server_stop(&server);
}

static void quit_ends_at_once(void **state)
{
	(void)state;
	struct server server;
	server_start_tls(&server, NULL);
	struct h2_client *client = client_connect(server.port, NULL);
	client_send_preface(client);
	assert_served(client, 1);
	server_signal(&server, SIGQUIT);
	assert_int_equal(server_wait_end(&server, 3000), 0);
	client_close(client);
}

/* RFC 9113 section 6.8: first GOAWAY with the highest identifier, requests still in flight are served, then the real
 * last identifier, then the end. */
static void a_drain_takes_two_steps(void **state)
{
	(void)state;
	struct server server;
	struct bytes out = {0};
	struct frame frame;
	struct response response;
	server_start_tls(&server, (const char *const[]){"--body", "0123456789", NULL});
	struct h2_client *client = client_connect(server.port, NULL);
	client_send_preface(client);
	put_setting(&out, 4, 4); /* the response stops after four bytes */
	put_request(&out, 1, FLAG_END_STREAM, "GET", "/");
	assert_true(client_send(client, &out));
	assert_int_equal(client_read_type(client, FRAME_DATA, &frame, 5000), READ_FRAME);
	server_signal(&server, SIGTERM);
	assert_int_equal(client_read_type(client, FRAME_GOAWAY, &frame, 5000), READ_FRAME);
	assert_int_equal(read_u32(frame.payload), 0x7fffffff);
	assert_int_equal(client_read_type(client, FRAME_PING, &frame, 5000), READ_FRAME);
	put_request(&out, 3, FLAG_END_STREAM, "GET", "/"); /* crossed the notice */
	put_frame(&out, FRAME_PING, FLAG_ACK, 0, frame.payload, 8);
	assert_true(client_send(client, &out));
	assert_int_equal(client_read_type(client, FRAME_GOAWAY, &frame, 5000), READ_FRAME);
	assert_int_equal(read_u32(frame.payload), 3);
	put_window_update(&out, 1, 100);
	put_window_update(&out, 3, 100);
	assert_true(client_send(client, &out));
	assert_true(client_read_response(client, 3, &response, 5000));
	response_free(&response);
	assert_int_not_equal(client_read_until_closed(client, 5000), -2);
	client_close(client);
	assert_int_equal(server_wait_end(&server, 5000), 0);
	assert_null(strstr(server.log, "cut"));
}

/* Several connections of one worker in the middle of a response: each is told, each is served, then comes the end. */
static void a_drain_reaches_every_connection(void **state)
{
	(void)state;
	enum { CLIENTS = 10 };
	struct server server;
	struct h2_client *clients[CLIENTS];
	struct frame frame;
	server_start_tls(&server, (const char *const[]){"--workers", "1", "--body", "0123456789", NULL});
	for (int i = 0; i < CLIENTS; i++) {
		struct bytes out = {0};
		clients[i] = client_connect(server.port, NULL);
		client_send_preface(clients[i]);
		put_setting(&out, 4, 4); /* the response stops after four bytes */
		put_request(&out, 1, FLAG_END_STREAM, "GET", "/");
		assert_true(client_send(clients[i], &out));
		assert_int_equal(client_read_type(clients[i], FRAME_DATA, &frame, 5000), READ_FRAME);
	}
	server_signal(&server, SIGTERM);
	for (int i = 0; i < CLIENTS; i++) {
		struct bytes out = {0};
		struct response response;
		assert_int_equal(client_read_type(clients[i], FRAME_GOAWAY, &frame, 5000), READ_FRAME);
		put_window_update(&out, 1, 100);
		assert_true(client_send(clients[i], &out));
		assert_true(client_read_response(clients[i], 1, &response, 5000));
		response_free(&response);
	}
	for (int i = 0; i < CLIENTS; i++)
		client_close(clients[i]);
	assert_int_equal(server_wait_end(&server, 5000), 0);
}

/* What is still open at the deadline is cut and named. */
static void a_drain_has_a_deadline(void **state)
{
	(void)state;
	struct server server;
	struct bytes out = {0};
	struct frame frame;
	server_start_tls(&server, (const char *const[]){"--drain-timeout", "600ms", NULL});
	struct h2_client *client = client_connect(server.port, NULL);
	client_send_preface(client);
	put_setting(&out, 4, 0);
	put_request(&out, 1, FLAG_END_STREAM, "GET", "/");
	put_request(&out, 3, FLAG_END_STREAM, "GET", "/");
	assert_true(client_send(client, &out));
	assert_int_equal(client_read_type(client, FRAME_HEADERS, &frame, 5000), READ_FRAME);
	assert_int_equal(client_read_type(client, FRAME_HEADERS, &frame, 5000), READ_FRAME);
	server_signal(&server, SIGTERM);
	assert_int_equal(server_wait_end(&server, 5000), 0);
	assert_contains(server.log, "the end after 600 ms cut 1 connections with 2 streams");
	client_close(client);
}

static void a_second_signal_ends_at_once(void **state)
{
	(void)state;
	struct server server;
	struct bytes out = {0};
	struct frame frame;
	server_start_tls(&server, NULL);
	struct h2_client *client = client_connect(server.port, NULL);
	client_send_preface(client);
	put_setting(&out, 4, 0);
	put_request(&out, 1, FLAG_END_STREAM, "GET", "/");
	assert_true(client_send(client, &out));
	assert_int_equal(client_read_type(client, FRAME_HEADERS, &frame, 5000), READ_FRAME);
	server_signal(&server, SIGTERM);
	assert_true(server_wait_log(&server, "SIGTERM: ending gracefully", 5000));
	server_signal(&server, SIGINT);
	assert_int_equal(server_wait_end(&server, 3000), 0);
	client_close(client);
}

/* A client that keeps asking until it is told to go, as a good client does. */
struct load {
	uint16_t port;
	int asked;    /* requests up to the last identifier the server said it takes */
	int answered; /* whole responses */
};

static atomic_int under_way;

/* Notes one frame; the identifier of a GOAWAY narrows what the server has taken. */
static void note_frame(struct h2_client *client, struct load *load, const struct frame *frame, bool *draining)
{
	struct bytes out = {0};
	if (frame->type == FRAME_GOAWAY) {
		int last = (int)(read_u32(frame->payload) & 0x7fffffff);
		int taken = last / 2 + last % 2;
		*draining = true;
		load->asked = taken < load->asked ? taken : load->asked;
	} else if (frame->type == FRAME_DATA) {
		client_return_window(client, frame);
		load->answered += (frame->flags & FLAG_END_STREAM) != 0;
	} else if (frame->type == FRAME_PING && (frame->flags & FLAG_ACK) == 0) {
		put_frame(&out, FRAME_PING, FLAG_ACK, 0, frame->payload, 8);
		client_send(client, &out);
	}
}

static void *run_load(void *argument)
{
	struct load *load = argument;
	struct frame frame;
	bool draining = false;
	struct h2_client *client = client_connect(load->port, NULL);
	client_send_preface(client);
	while (!draining) {
		struct bytes out = {0};
		for (int i = 0; i < 10; i++)
			put_request(&out, 2 * load->asked++ + 1, FLAG_END_STREAM, "GET", "/");
		if (!client_send(client, &out))
			break;
		while (load->answered < load->asked && !draining && client_read(client, &frame, 10000) == READ_FRAME)
			note_frame(client, load, &frame, &draining);
		atomic_fetch_add(&under_way, load->asked == 10);
	}
	while (client_read(client, &frame, 10000) == READ_FRAME)
		note_frame(client, load, &frame, &draining);
	client_close(client);
	return NULL;
}

static void a_drain_under_load_loses_nothing(void **state)
{
	(void)state;
	enum { CLIENTS = 8 };
	struct server server;
	struct load loads[CLIENTS];
	pthread_t threads[CLIENTS];
	server_start_tls(&server, NULL);
	atomic_store(&under_way, 0);
	for (int i = 0; i < CLIENTS; i++) {
		loads[i] = (struct load){.port = server.port};
		assert_int_equal(pthread_create(&threads[i], NULL, run_load, &loads[i]), 0);
	}
	while (atomic_load(&under_way) < CLIENTS)
		usleep(1000);
	server_signal(&server, SIGTERM);
	for (int i = 0; i < CLIENTS; i++) {
		pthread_join(threads[i], NULL);
		assert_true(loads[i].answered >= 10);
		assert_int_equal(loads[i].answered, loads[i].asked);
	}
	assert_int_equal(server_wait_end(&server, 10000), 0);
	assert_null(strstr(server.log, " cut "));
}

/* The same port can be taken again at once, though connections of the old process linger in TIME_WAIT. */
static void restart_on_the_same_port(void **state)
{
	(void)state;
	struct server server;
	server_start_tls(&server, NULL);
	uint16_t port = server.port;
	char text[16];
	struct h2_client *client = client_connect(port, NULL);
	client_send_preface(client);
	assert_served(client, 1);
	server_stop(&server); /* the server closes first: its side of the connection stays in TIME_WAIT */
	client_close(client);
	snprintf(text, sizeof(text), "%u", port);
	server_start_tls(&server, (const char *const[]){"--port", text, NULL});
	assert_int_equal(server.port, port);
	server_stop(&server);
}

/* --verbose names every connection. */
static void verbose_shows_connections(void **state)
{
	(void)state;
	struct server server;
	server_start_tls(&server, (const char *const[]){"-v", "--workers", "1", NULL});
	struct h2_client *client = client_connect(server.port, NULL);
	client_send_preface(client);
	assert_served(client, 1);
	assert_true(server_wait_log(&server, "worker 0: accepted 127.0.0.1:", 5000));
	client_close(client);
	assert_true(server_wait_log(&server, "worker 0: closes 127.0.0.1:", 5000));
	server_stop(&server);
}

/* Descriptors and memory return to where they were after many connections. */
static void nothing_leaks(void **state)
{
	(void)state;
	struct server server;
	server_start_tls(&server, NULL);
	int descriptors = 0;
	long rss = 0;
	for (int round = 0; round < 6; round++) {
		for (int i = 0; i < 50; i++) {
			struct h2_client *client = client_connect(server.port, NULL);
			client_send_preface(client);
			assert_served(client, 1);
			client_close(client);
		}
		for (int tries = 0; descriptors > 0 && server_descriptors(&server) > descriptors && tries < 300;
		     tries++)
			usleep(10000);
		if (round == 1) {
			usleep(100000);
			descriptors = server_descriptors(&server);
			rss = server_rss_kib(&server);
		}
	}
	assert_true(server_descriptors(&server) <= descriptors);
	if (!is_instrumented() && server_rss_kib(&server) > rss + 1024)
		fail_msg("memory grew from %ld to %ld KiB", rss, server_rss_kib(&server));
	server_stop(&server);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cleartext_with_prior_knowledge),
		cmocka_unit_test(harmless_signals),
		cmocka_unit_test(quit_ends_at_once),
		cmocka_unit_test(a_drain_takes_two_steps),
		cmocka_unit_test(a_drain_reaches_every_connection),
		cmocka_unit_test(a_drain_has_a_deadline),
		cmocka_unit_test(a_second_signal_ends_at_once),
		cmocka_unit_test(a_drain_under_load_loses_nothing),
		cmocka_unit_test(restart_on_the_same_port),
		cmocka_unit_test(verbose_shows_connections),
		cmocka_unit_test(nothing_leaks),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
