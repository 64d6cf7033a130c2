/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A random mixture of good clients, slow ones, attackers and signals against one server with two workers, for
 * SOAK_SECONDS (600). Good clients must be served throughout; afterwards memory and descriptors must be what they were,
 * and the server must drain while it is still under load. SOAK_SEED repeats a mixture. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "support/clock.h"
#include "support/h2_client.h"
#include "support/process.h"
#include "support/test.h"

enum {
	CLIENTS = 4, /* processes */
	BODY_BYTES = 200000,
	PAUSE_MS = 250, /* between two looks at the server */
	SETTLE_MS = 15000,
	RSS_SLACK_KIB = 3 * 1024,
};

static unsigned random_state;

static unsigned draw(unsigned below)
{
	random_state = random_state * 1103515245 + 12345;
	return (random_state >> 8) % below;
}

static struct h2_client *connect_client(uint16_t port, int receive_buffer)
{
	struct h2_client *client = client_connect(port, &(struct client_options){.receive_buffer = receive_buffer});
	client_send_preface(client);
	return client;
}

/* --- good clients: they must be served ---------------------------------------------------------------------------- */

static void get_some(uint16_t port)
{
	struct h2_client *client = connect_client(port, 0);
	unsigned count = 1 + draw(10);
	for (unsigned i = 0; i < count; i++) {
		struct response response;
		assert_true(client_get(client, (int32_t)(2 * i + 1), "/", &response));
		assert_int_equal(response.status, 200);
		assert_int_equal(response.body.length, BODY_BYTES);
		response_free(&response);
	}
	client_close(client);
}

static void post_some(uint16_t port)
{
	static const uint8_t piece[8000];
	struct h2_client *client = connect_client(port, 0);
	struct bytes out = {0};
	struct response response;
	struct frame frame;
	/* Only then may it send up to 256 KiB without asking for more window (RFC 9113 section 6.9.2). */
	assert_int_equal(client_read_type(client, FRAME_SETTINGS, &frame, 15000), READ_FRAME);
	put_request(&out, 1, 0, "POST", "/");
	for (unsigned i = draw(30); i > 0; i--)
		put_frame(&out, FRAME_DATA, 0, 1, piece, 1 + draw(sizeof(piece)));
	put_frame(&out, FRAME_DATA, FLAG_END_STREAM, 1, NULL, 0);
	assert_true(client_send(client, &out));
	assert_true(client_read_response(client, 1, &response, 15000));
	if (response.status != 200)
		fail_msg("an upload got status %d, reset %u", response.status, response.reset_code);
	response_free(&response);
	client_close(client);
}

static void read_slowly(uint16_t port)
{
	struct h2_client *client = connect_client(port, 4096);
	struct response response;
	struct bytes out = {0};
	put_setting(&out, 4, 1000 + draw(20000));
	put_request(&out, 1, FLAG_END_STREAM, "GET", "/");
	assert_true(client_send(client, &out));
	assert_true(client_read_response(client, 1, &response, 20000));
	assert_int_equal(response.body.length, BODY_BYTES);
	response_free(&response);
	client_close(client);
}

/* --- others: whatever happens to them ----------------------------------------------------------------------------- */

static void leave_in_the_middle(uint16_t port)
{
	struct bytes out = {0};
	struct frame frame;
	struct h2_client *client = connect_client(port, 4096);
	for (int32_t id = 1; id < 20; id += 2)
		put_request(&out, id, FLAG_END_STREAM, "GET", "/");
	client_send(client, &out);
	for (unsigned i = draw(5); i > 0; i--)
		(void)client_read(client, &frame, 100);
	if (draw(2) == 0) {
		struct linger now = {.l_onoff = 1};
		setsockopt(client_socket(client), SOL_SOCKET, SO_LINGER, &now, sizeof(now));
	}
	client_close(client);
}

static void reset_rapidly(uint16_t port)
{
	struct bytes out = {0};
	struct h2_client *client = connect_client(port, 0);
	for (int32_t id = 1; id < 1000; id += 2) {
		put_request(&out, id, FLAG_END_STREAM, "GET", "/");
		put_reset(&out, id, CODE_CANCEL);
	}
	client_send(client, &out);
	(void)client_read_until_closed(client, 2000);
	client_close(client);
}

static void send_random_frames(uint16_t port)
{
	uint8_t payload[64];
	struct bytes out = {0};
	struct h2_client *client = connect_client(port, 0);
	for (int i = 0; i < 50; i++) {
		for (size_t k = 0; k < sizeof(payload); k++)
			payload[k] = (uint8_t)draw(256);
		put_frame(&out, (uint8_t)draw(12), (uint8_t)draw(256), (int32_t)draw(9), payload,
			  draw(sizeof(payload)));
	}
	client_send(client, &out);
	(void)client_read_until_closed(client, 100);
	client_close(client);
}

static void send_rubbish(uint16_t port)
{
	uint8_t bytes[500];
	int fd = tcp_connect(port, false, 0);
	for (size_t k = 0; k < sizeof(bytes); k++)
		bytes[k] = (uint8_t)draw(256);
	if (draw(2) == 0)
		memcpy(bytes, "\x16\x03\x01\x01\x00\x01\x00\x00\xfc\x03\x03", 11);
	send(fd, bytes, 1 + draw(sizeof(bytes)), MSG_NOSIGNAL);
	close(fd);
}

static void ping_without_end(uint16_t port)
{
	struct bytes out = {0};
	struct h2_client *client = connect_client(port, 0);
	for (int i = 0; i < 300; i++)
		put_frame(&out, FRAME_PING, 0, 0, "12345678", 8);
	client_send(client, &out);
	(void)client_read_until_closed(client, 2000);
	client_close(client);
}

static void (*const behaviours[])(uint16_t port) = {
	get_some,      get_some,	   get_some,	 post_some,	   post_some, read_slowly, leave_in_the_middle,
	reset_rapidly, send_random_frames, send_rubbish, ping_without_end,
};

/* --- the test ----------------------------------------------------------------------------------------------------- */

struct soak {
	struct server server;
	unsigned seed;
	int64_t seconds;
	pid_t clients[CLIENTS];
};

static void run_client(const struct soak *soak, unsigned number)
{
	int64_t end = now_ms() + soak->seconds * 1000;
	random_state = soak->seed + number;
	while (now_ms() < end)
		behaviours[draw(sizeof(behaviours) / sizeof(behaviours[0]))](soak->server.port);
}

/* Each client is a process, so that a failed assertion ends it alone and is seen. */
static void start_clients(struct soak *soak, bool quiet)
{
	int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
	for (unsigned i = 0; i < CLIENTS; i++) {
		soak->clients[i] = fork();
		assert_true(soak->clients[i] >= 0);
		if (soak->clients[i] == 0) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			if (quiet) {
				dup2(nowhere, STDOUT_FILENO);
				dup2(nowhere, STDERR_FILENO);
			}
			run_client(soak, i);
			_exit(0);
		}
	}
	close(nowhere);
}

static void wait_for_clients(struct soak *soak)
{
	for (unsigned i = 0; i < CLIENTS; i++) {
		int status;
		assert_int_equal(waitpid(soak->clients[i], &status, 0), soak->clients[i]);
		if (status != 0)
			fail_msg("good client %u of seed %u was not served, status %x; the server's log ends:\n%s", i,
				 soak->seed, (unsigned)status,
				 soak->server.log +
					 (soak->server.log_length > 3000 ? soak->server.log_length - 3000 : 0));
	}
}

/* Signals now and then, and the log read all the time, until the time is over. Returns the memory after a third of it.
 */
static long watch(struct soak *soak)
{
	int64_t start = now_ms();
	long reference_kib = 0;
	char lost[65536];
	while (now_ms() - start < soak->seconds * 1000) {
		struct pollfd polled = {.fd = soak->server.log_fd, .events = POLLIN};
		if (poll(&polled, 1, PAUSE_MS) > 0) {
			ssize_t length = read(soak->server.log_fd, lost, sizeof(lost) - 1);
			lost[length > 0 ? length : 0] = '\0';
			assert_null(strstr(lost, "Sanitizer"));
		}
		if (draw(8) == 0)
			server_signal(&soak->server, draw(2) == 0 ? SIGHUP : SIGUSR1);
		if (reference_kib == 0 && now_ms() - start > soak->seconds * 333)
			reference_kib = server_rss_kib(&soak->server);
	}
	return reference_kib;
}

static void assert_flat(struct soak *soak, long reference_kib, int descriptors)
{
	int64_t deadline = now_ms() + SETTLE_MS;
	while (now_ms() < deadline && (server_descriptors(&soak->server) > descriptors ||
				       server_rss_kib(&soak->server) > reference_kib + RSS_SLACK_KIB))
		poll(NULL, 0, 50);
	assert_true(server_descriptors(&soak->server) <= descriptors);
	print_message("           resident %ld KiB in the first third, %ld at the end\n", reference_kib,
		      server_rss_kib(&soak->server));
	if (!is_instrumented())
		assert_true(server_rss_kib(&soak->server) <= reference_kib + RSS_SLACK_KIB);
}

static void make_body(char path[64])
{
	char command[128];
	struct outcome outcome;
	snprintf(path, 64, "/tmp/valkyrie-soak-%d", (int)getpid());
	snprintf(command, sizeof(command), "head -c %d /dev/urandom > %s", BODY_BYTES, path);
	shell_run(&outcome, 20000, command);
}

static void soak_and_drain(void **state)
{
	(void)state;
	static struct soak soak;
	char path[64];
	const char *seconds = getenv("SOAK_SECONDS"), *seed = getenv("SOAK_SEED");
	soak.seconds = seconds != NULL ? atol(seconds) : 600;
	soak.seed = seed != NULL ? (unsigned)atol(seed) : (unsigned)time(NULL);
	random_state = soak.seed;
	print_message("           %lld s, SOAK_SEED=%u\n", (long long)soak.seconds, soak.seed);
	make_body(path);
	server_start_tls(&soak.server, (const char *const[]){"--workers", "2", "--body-file", path, NULL});
	unlink(path);
	get_some(soak.server.port);
	int descriptors = server_descriptors(&soak.server);
	start_clients(&soak, false);
	long reference_kib = watch(&soak);
	wait_for_clients(&soak);
	assert_flat(&soak, reference_kib, descriptors);
	/* Once more, and the end comes in the middle of it. Who is refused now has no reason to complain. */
	soak.seconds = 3;
	start_clients(&soak, true);
	poll(NULL, 0, 1000); /* of load before the signal */
	server_signal(&soak.server, SIGTERM);
	int code = server_wait_end(&soak.server, 45000);
	for (unsigned i = 0; i < CLIENTS; i++) {
		kill(soak.clients[i], SIGKILL);
		waitpid(soak.clients[i], NULL, 0);
	}
	if (code != 0 || strstr(soak.server.log, "Sanitizer") != NULL)
		fail_msg("the server ended with %d:\n%s", code, soak.server.log);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(soak_and_drain)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
