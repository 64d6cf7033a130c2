/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE
#include "support/scorecard.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "support/test.h"

enum {
	SAMPLES_MAX = 10000,
	BYSTANDER_PAUSE_MS = 20,
	BYSTANDER_P99_US = 50000,
	RSS_DURING_KIB = 16 * 1024,
	RSS_AFTER_KIB = 2 * 1024,
	RECOVERY_MS = 5000,
	CPU_WINDOW_MS = 500,
	CPU_WINDOWS = 5,
	CPU_SHARE = 20, /* a twentieth of a core */
	BATCH = 50,	/* pieces sent at once by a flood */
};

static struct server server;
static const char *bystander_method;

/* A good client on a thread of its own. */
static struct {
	pthread_t thread;
	struct h2_client *client;
	int32_t next_id;
	bool running;
	atomic_bool stopping;
	int failures;
	int count;
	long rss_max_kib;
	int64_t latency_us[SAMPLES_MAX];
} bystander;

static int64_t now_us(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

static void pause_ms(int milliseconds)
{
	nanosleep(&(struct timespec){milliseconds / 1000, (milliseconds % 1000) * 1000000L}, NULL);
}

static bool ask(struct h2_client *client, int32_t id)
{
	struct response response = {0};
	struct bytes out = {0};
	put_request(&out, id, FLAG_END_STREAM, bystander_method, "/");
	bool served = client_send(client, &out) && client_read_response(client, id, &response, 5000) &&
		      response.status == 200;
	response_free(&response);
	return served;
}

static void *run_bystander(void *argument)
{
	(void)argument;
	while (!atomic_load(&bystander.stopping) && bystander.count < SAMPLES_MAX) {
		int64_t start = now_us();
		bool served = ask(bystander.client, bystander.next_id);
		bystander.latency_us[bystander.count++] = now_us() - start;
		bystander.next_id += 2;
		bystander.failures += !served;
		long rss = server_rss_kib(&server);
		if (rss > bystander.rss_max_kib)
			bystander.rss_max_kib = rss;
		pause_ms(BYSTANDER_PAUSE_MS);
	}
	return NULL;
}

static void start_bystander(void)
{
	memset(&bystander, 0, sizeof(bystander));
	bystander.client = client_connect(server.port, NULL);
	client_send_preface(bystander.client);
	assert_true(ask(bystander.client, 1));
	bystander.next_id = 3;
	bystander.running = pthread_create(&bystander.thread, NULL, run_bystander, NULL) == 0;
	assert_true(bystander.running);
}

int scorecard_clean_up(void **line)
{
	(void)line;
	atomic_store(&bystander.stopping, true);
	if (bystander.running)
		pthread_join(bystander.thread, NULL);
	bystander.running = false;
	client_close(bystander.client);
	bystander.client = NULL;
	return 0;
}

static int compare(const void *a, const void *b)
{
	int64_t left = *(const int64_t *)a, right = *(const int64_t *)b;
	return (left > right) - (left < right);
}

static void judge_bystander(void)
{
	int64_t limit_us = (int64_t)BYSTANDER_P99_US * (is_instrumented() ? 10 : 1);
	qsort(bystander.latency_us, (size_t)bystander.count, sizeof(int64_t), compare);
	int64_t p99 = bystander.latency_us[(bystander.count - 1) * 99 / 100];
	if (bystander.failures > 0)
		fail_msg("the bystander had %d failures in %d requests", bystander.failures, bystander.count);
	if (p99 > limit_us)
		fail_msg("the bystander's p99 was %lld us", (long long)p99);
}

/* Waits until `get` is at most `limit`; what it was last. */
static long wait_below(long (*get)(const struct server *), long limit)
{
	int64_t deadline = now_us() + RECOVERY_MS * 1000LL;
	long value;
	while ((value = get(&server)) > limit && now_us() < deadline)
		pause_ms(10);
	return value;
}

static long descriptors(const struct server *of)
{
	return server_descriptors(of);
}

static void judge_cpu(void)
{
	long long used = 0;
	for (int window = 0; window < CPU_WINDOWS; window++) {
		long long before = server_cpu_us(&server);
		pause_ms(CPU_WINDOW_MS); /* the span that is measured */
		used = server_cpu_us(&server) - before;
		if (used < CPU_WINDOW_MS * 1000 / CPU_SHARE)
			return;
	}
	fail_msg("still %lld us of CPU in %d ms, more than 2 s after the end", used, CPU_WINDOW_MS);
}

static void judge_process(void)
{
	assert_int_equal(kill(server.pid, 0), 0);
	struct h2_client *client = client_connect(server.port, NULL);
	client_send_preface(client);
	assert_true(ask(client, 1));
	client_close(client);
	server_wait_log(&server, "Sanitizer", 0);
	if (strstr(server.log, "Sanitizer") != NULL || strstr(server.log, "runtime error") != NULL)
		fail_msg("a sanitizer has spoken:\n%s", server.log);
}

void scorecard_start(const char *const arguments[], const char *method)
{
	bystander_method = method;
	server_start_tls(&server, arguments);
}

int scorecard_set_up(void **state)
{
	(void)state;
	scorecard_start(NULL, "GET");
	return 0;
}

int scorecard_stop(void **state)
{
	(void)state;
	server_stop(&server);
	return 0;
}

struct server *scorecard_server(void)
{
	return &server;
}

void scorecard_test(void **line)
{
	const struct scorecard_line *attacked = *line;
	long before_kib = server_rss_kib(&server);
	start_bystander();
	long before_descriptors = server_descriptors(&server);
	attacked->attack(server.port);
	long left = wait_below(descriptors, before_descriptors);
	scorecard_clean_up(line);
	long during_kib = bystander.rss_max_kib - before_kib;
	judge_bystander();
	if (left > before_descriptors)
		fail_msg("%ld descriptors, %ld before the attack", left, before_descriptors);
	judge_cpu();
	judge_process();
	if (is_instrumented())
		return;
	if (during_kib > RSS_DURING_KIB)
		fail_msg("resident memory grew by %ld KiB during the attack", during_kib);
	long after_kib = wait_below(server_rss_kib, before_kib + RSS_AFTER_KIB) - before_kib;
	if (after_kib > RSS_AFTER_KIB)
		fail_msg("resident memory is still %ld KiB above what it was", after_kib);
}

static void note_frame(struct h2_client *client, struct ending *ending, const struct frame *frame)
{
	if (frame->type == FRAME_GOAWAY)
		ending->goaway = (int)read_u32(frame->payload + 4);
	if (frame->type == FRAME_RST_STREAM) {
		ending->reset_code = read_u32(frame->payload);
		ending->resets++;
	}
	if (frame->type == FRAME_HEADERS)
		ending->status = client_status(client, frame);
}

/* Reads what comes within `timeout_ms` of the last byte. */
static void read_answers(struct h2_client *client, struct ending *ending, int timeout_ms)
{
	struct frame frame;
	enum read_result result;
	while ((result = client_read(client, &frame, timeout_ms)) == READ_FRAME)
		note_frame(client, ending, &frame);
	ending->closed = result == READ_CLOSED;
}

struct ending flood(struct h2_client *client, int count, int timeout_ms, void (*put)(struct bytes *out, int index))
{
	struct ending ending = {.goaway = -1};
	struct timeval patience = {.tv_sec = 5};
	setsockopt(client_socket(client), SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
	bool alive = true;
	for (int i = 0; i < count && alive && !ending.closed;) {
		struct bytes out = {0};
		for (int end = i + BATCH < count ? i + BATCH : count; i < end; i++)
			put(&out, i);
		alive = client_send(client, &out);
		read_answers(client, &ending, 0);
	}
	if (!ending.closed)
		read_answers(client, &ending, timeout_ms);
	return ending;
}

struct ending read_ending(struct h2_client *client, int timeout_ms)
{
	struct ending ending = {.goaway = -1};
	read_answers(client, &ending, timeout_ms);
	return ending;
}

struct ending send_once(uint16_t port, struct bytes *bytes, int timeout_ms)
{
	struct h2_client *client = client_connect(port, NULL);
	client_send_preface(client);
	client_send(client, bytes);
	struct ending ending = read_ending(client, timeout_ms);
	client_close(client);
	return ending;
}
