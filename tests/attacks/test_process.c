/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The public scorecard's lines P01 and P04: the system gives no descriptor, the log's reader does not read. (P02 and
 * P03, failing allocations and system calls, are in tests/faults/.) */
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include "support/clock.h"
#include "support/scorecard.h"
#include "support/test.h"

enum {
	CLIENTS = 200,
	HEADROOM = 20,	     /* descriptors left to the server by P01 */
	REST_MS = 1000,	     /* over which its rest is measured */
	REST_CPU_US = 50000, /* four tries a second cost far less */
	RECOVERY_MS = 1000,
	LINES = 12000, /* more than the log's queue holds */
	STUCK_MS = 2000,
};

static void limit_descriptors(int count)
{
	struct outcome outcome;
	char command[128];
	snprintf(command, sizeof(command), "prlimit --pid %d --nofile=%d:", (int)scorecard_server()->pid, count);
	shell_run(&outcome, 5000, command);
	if (outcome.exit_code != 0)
		fail_msg("%s: %s", command, outcome.errors);
}

static void p01_out_of_descriptors(uint16_t port)
{
	int fds[CLIENTS];
	int descriptors = server_descriptors(scorecard_server());
	limit_descriptors(descriptors + HEADROOM);
	for (int i = 0; i < CLIENTS; i++)
		fds[i] = tcp_connect(port, false, 0);
	assert_true(server_wait_log(scorecard_server(), "refused clients: connections (Too many open files)", 5000));
	long long cpu = server_cpu_us(scorecard_server());
	poll(NULL, 0, REST_MS); /* the span that is measured */
	long long used = server_cpu_us(scorecard_server()) - cpu;
	if (used > REST_CPU_US * (is_instrumented() ? 10 : 1))
		fail_msg("%lld us of CPU in a second without descriptors", used);
	for (int i = 0; i < CLIENTS; i++)
		close(fds[i]);
	int64_t start = now_ms();
	struct response response;
	struct h2_client *client = client_connect(port, NULL);
	client_send_preface(client);
	assert_true(client_get(client, 1, "/", &response));
	if (now_ms() - start > RECOVERY_MS)
		fail_msg("it took %lld ms to recover", (long long)(now_ms() - start));
	response_free(&response);
	client_close(client);
	limit_descriptors(4096);
}

/* With --verbose every connection writes two lines; nobody reads them for two seconds. The bystander must not notice.
 */
static void p04_stuck_log(uint16_t port)
{
	int64_t start = now_ms();
	fcntl(scorecard_server()->log_fd, F_SETPIPE_SZ, 4096);
	for (int i = 0; i < LINES / 2; i++)
		close(tcp_connect(port, false, 0));
	if (now_ms() - start < STUCK_MS)
		poll(NULL, 0, (int)(STUCK_MS - (now_ms() - start)));
	/* Reading frees the writer; the harness keeps only the beginning, so the rest is looked at as it comes. */
	static char chunk[65536];
	bool told = false;
	start = now_ms();
	while (!told && now_ms() - start < 5000) {
		struct pollfd polled = {.fd = scorecard_server()->log_fd, .events = POLLIN};
		if (poll(&polled, 1, 100) == 0)
			continue;
		ssize_t length = read(scorecard_server()->log_fd, chunk, sizeof(chunk) - 1);
		assert_true(length > 0);
		chunk[length] = '\0';
		told = strstr(chunk, "log lines lost: the log could not be written") != NULL;
	}
	assert_true(told);
}

static int start(void **state)
{
	(void)state;
	scorecard_start((const char *const[]){"--verbose", NULL}, "GET");
	return 0;
}

int main(void)
{
	const struct CMUnitTest lines[] = {
		scorecard_line(p01_out_of_descriptors),
		scorecard_line(p04_stuck_log),
	};
	return cmocka_run_group_tests(lines, start, scorecard_stop);
}
