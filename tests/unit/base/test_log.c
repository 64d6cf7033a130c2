/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE
#include "base/log.h"

#include <pthread.h>
#include <unistd.h>

#include "support/test.h"

/* Everything that is in the pipe, until its writer is closed. */
static size_t read_all(int fd, char *text, size_t size)
{
	size_t length = 0;
	ssize_t count;
	while (length + 1 < size && (count = read(fd, text + length, size - length - 1)) > 0)
		length += (size_t)count;
	text[length] = '\0';
	return length;
}

static void lines_come_out_in_order(void **state)
{
	(void)state;
	int ends[2];
	char text[512];
	assert_int_equal(pipe(ends), 0);
	struct log *log = log_start(ends[1], VALK_LOG_NOTICE, false);
	log_write(log, VALK_LOG_NOTICE, "one %d", 1);
	log_write(log, VALK_LOG_ERROR, "two");
	log_write(log, VALK_LOG_DETAIL, "dropped");
	log_stop(log, 5000);
	close(ends[1]);
	read_all(ends[0], text, sizeof(text));
	close(ends[0]);
	assert_string_equal(text, "valkyrie: one 1\nvalkyrie: error: two\n");
}

static void timestamps_are_iso(void **state)
{
	(void)state;
	int ends[2];
	char text[512];
	int year, month, day, hour, minute, consumed = 0;
	double second;
	assert_int_equal(pipe(ends), 0);
	struct log *log = log_start(ends[1], VALK_LOG_NOTICE, true);
	log_write(log, VALK_LOG_NOTICE, "x");
	log_stop(log, 5000);
	close(ends[1]);
	read_all(ends[0], text, sizeof(text));
	close(ends[0]);
	assert_int_equal(sscanf(text, "%4d-%2d-%2dT%2d:%2d:%lfZ valkyrie: x%n", &year, &month, &day, &hour, &minute,
				&second, &consumed),
			 6);
	assert_int_equal(text[consumed], '\n');
}

static char flood[4 << 20];

static void *read_flood(void *argument)
{
	read_all(*(int *)argument, flood, sizeof(flood));
	return NULL;
}

/* A pipe that nobody reads stalls the writer thread; the callers go on, and what was lost is counted. */
static void a_stuck_device_delays_nobody(void **state)
{
	(void)state;
	enum { LINES = 20000 };
	int ends[2];
	pthread_t reader;
	assert_int_equal(pipe(ends), 0);
	struct log *log = log_start(ends[1], VALK_LOG_NOTICE, false);
	for (int i = 0; i < LINES; i++)
		log_write(log, VALK_LOG_NOTICE, "line %05d of a flood that fills the pipe and then the queue", i);
	/* All 20,000 were accepted though nobody has read a byte. Now the device recovers. */
	assert_int_equal(pthread_create(&reader, NULL, read_flood, &ends[0]), 0);
	log_stop(log, 20000);
	close(ends[1]);
	pthread_join(reader, NULL);
	close(ends[0]);
	unsigned long lost = 0, written = 0;
	for (const char *at = flood; (at = strstr(at, "valkyrie: ")) != NULL; at++) {
		unsigned long count;
		if (sscanf(at, "valkyrie: warning: %lu log lines lost", &count) == 1)
			lost += count;
		written += strncmp(at, "valkyrie: line ", 15) == 0;
	}
	assert_true(lost > 0);
	assert_int_equal(lost + written, LINES);
}

static void long_lines_are_cut(void **state)
{
	(void)state;
	int ends[2];
	char text[4096], line[3000];
	memset(line, 'x', sizeof(line) - 1);
	line[sizeof(line) - 1] = '\0';
	assert_int_equal(pipe(ends), 0);
	struct log *log = log_start(ends[1], VALK_LOG_NOTICE, false);
	log_write(log, VALK_LOG_NOTICE, "%s", line);
	log_stop(log, 5000);
	close(ends[1]);
	size_t length = read_all(ends[0], text, sizeof(text));
	close(ends[0]);
	assert_int_equal(length, 1024);
	assert_int_equal(text[length - 1], '\n');
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_come_out_in_order), cmocka_unit_test(timestamps_are_iso),
		cmocka_unit_test(a_stuck_device_delays_nobody), cmocka_unit_test(long_lines_are_cut)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
