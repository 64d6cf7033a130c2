/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The public scorecard's lines T: clients that do nothing, with the default timeouts. They wait side by side, so that
 * the longest timeout is the length of the test. */
#define _GNU_SOURCE
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "support/clock.h"
#include "support/scorecard.h"
#include "support/test.h"

enum {
	HANDSHAKE_MS = 12000,
	SEND_MS = 35000,
	STUCK_CLIENTS = 50,
	STUCK_KIB = 300,
	BODY_BYTES = 10 * 1000 * 1000,
};

static char body_path[64];

/* Waits until the peer has closed, which must be before `deadline_ms`. */
static void assert_closes(const char *line, int fd, int64_t deadline_ms)
{
	char bytes[4096];
	for (;;) {
		int64_t left = deadline_ms - now_ms();
		struct pollfd polled = {.fd = fd, .events = POLLIN};
		if (left <= 0 || poll(&polled, 1, (int)left) == 0)
			fail_msg("%s: still open", line);
		if (recv(fd, bytes, sizeof(bytes), 0) <= 0)
			return;
	}
}

/* T04: 100 requests for the large body with the window shut. */
static struct h2_client *shut_window(uint16_t port)
{
	struct bytes out = {0};
	struct h2_client *client = client_connect(port, NULL);
	client_send_preface(client);
	put_setting(&out, 4, 0);
	for (int i = 0; i < 100; i++)
		put_request(&out, 2 * i + 1, FLAG_END_STREAM, "GET", "/");
	client_send(client, &out);
	return client;
}

/* T07: the windows are wide open, but nobody reads from the socket. */
static struct h2_client *never_read(uint16_t port)
{
	struct bytes out = {0};
	struct h2_client *client = client_connect(port, &(struct client_options){.receive_buffer = 4096});
	put_preface(&out);
	put_setting(&out, 4, 0x7fffffff);
	put_window_update(&out, 0, 0x7fffffff - 65535);
	put_request(&out, 1, FLAG_END_STREAM, "GET", "/");
	client_send(client, &out);
	return client;
}

static void t01_to_t07_side_by_side(uint16_t port)
{
	struct h2_client *stuck[STUCK_CLIENTS];
	int64_t start = now_ms();
	long before = server_rss_kib(scorecard_server());
	int silent = tcp_connect(port, false, 0);
	int half = tcp_connect(port, false, 0);
	send(half, "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 11, MSG_NOSIGNAL);
	struct h2_client *mute = client_connect(port, NULL);
	struct h2_client *shut = shut_window(port);
	for (int i = 0; i < STUCK_CLIENTS; i++)
		stuck[i] = never_read(port);

	assert_closes("T01", silent, start + HANDSHAKE_MS);
	assert_closes("T02", half, start + HANDSHAKE_MS);
	assert_closes("T03", client_socket(mute), start + HANDSHAKE_MS);
	long used = server_rss_kib(scorecard_server()) - before;
	if (!is_instrumented() && used > STUCK_CLIENTS * STUCK_KIB)
		fail_msg("T07: %ld KiB for %d clients that do not read", used, STUCK_CLIENTS);
	/* The streams of T04 are reset; the connection may stay, empty. */
	struct response response;
	assert_true(client_read_response(shut, 199, &response, (int)(start + SEND_MS - now_ms())));
	assert_int_equal(response.reset_code, CODE_CANCEL);
	response_free(&response);
	assert_true(server_wait_log(scorecard_server(), "send-timeout (ms without the client reading: 3", 6000));
	while (server_descriptors(scorecard_server()) > 60 && now_ms() < start + SEND_MS)
		poll(NULL, 0, 20);
	if (now_ms() >= start + SEND_MS)
		fail_msg("T07: still open after %d ms", SEND_MS);
	close(silent);
	close(half);
	client_close(mute);
	client_close(shut);
	for (int i = 0; i < STUCK_CLIENTS; i++)
		client_close(stuck[i]);
}

static int start(void **state)
{
	(void)state;
	char command[128];
	struct outcome outcome;
	snprintf(body_path, sizeof(body_path), "/tmp/valkyrie-large-%d", (int)getpid());
	snprintf(command, sizeof(command), "head -c %d /dev/zero > %s", BODY_BYTES, body_path);
	shell_run(&outcome, 20000, command);
	scorecard_start((const char *const[]){"--body-file", body_path, NULL}, "HEAD");
	unlink(body_path);
	return 0;
}

int main(void)
{
	const struct CMUnitTest lines[] = {
		scorecard_line(t01_to_t07_side_by_side),
	};
	return cmocka_run_group_tests(lines, start, scorecard_stop);
}
