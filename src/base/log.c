/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE
#include "base/log.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
	QUEUE_BYTES = 128 * 1024, /* about a thousand lines while the device stalls */
	LINE_BYTES = 1024,
	REST_MS = 250, /* between tries on a device that fails */
};

/* Two halves: writers fill one under the lock, the thread empties the other without it. */
struct log {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	pthread_t thread;
	int descriptor;
	enum valk_log_level level;
	bool timestamps;
	bool stopping;
	bool finished;
	unsigned filling; /* index of the half being filled */
	size_t length[2];
	unsigned long lost; /* lines, until their number is written */
	bool torn;	    /* the writer's: the last line on the device has no end */
	char text[2][QUEUE_BYTES];
};

/* The moment `wait_ms` from now, on the clock of `changed`. */
static void deadline_after(unsigned wait_ms, struct timespec *deadline)
{
	clock_gettime(CLOCK_MONOTONIC, deadline);
	deadline->tv_sec += wait_ms / 1000;
	deadline->tv_nsec += (long)(wait_ms % 1000) * 1000000;
	if (deadline->tv_nsec >= 1000000000) {
		deadline->tv_sec++;
		deadline->tv_nsec -= 1000000000;
	}
}

static const char *const level_prefix[] = {"error: ", "warning: ", "", ""};

/* Writes everything, or as much as the device takes before an error that waiting for room does not mend. Returns the
 * bytes written. */
static size_t write_all(int descriptor, const char *bytes, size_t length)
{
	size_t done = 0;
	while (done < length) {
		ssize_t written = write(descriptor, bytes + done, length - done);
		if (written < 0 && errno == EINTR)
			continue;
		if (written < 0 && errno == EAGAIN) { /* somebody made the shared descriptor non-blocking */
			poll(&(struct pollfd){.fd = descriptor, .events = POLLOUT}, 1, -1);
			continue;
		}
		if (written < 0)
			break;
		done += (size_t)written;
	}
	return done;
}

static unsigned long count_lines(const char *text, size_t length)
{
	unsigned long lines = 0;
	for (const char *end = text + length; (text = memchr(text, '\n', (size_t)(end - text))) != NULL; text++)
		lines++;
	return lines;
}

static bool write_lost_count(const struct log *log, unsigned long lost)
{
	char line[96];
	int length = snprintf(line, sizeof(line),
			      "valkyrie: warning: %lu log lines lost: the log could not be written\n", lost);
	return write_all(log->descriptor, line, (size_t)length) == (size_t)length;
}

/* Writes `text`, and then how many lines were lost until now. Returns how many lines are lost without being told. */
static unsigned long write_out(struct log *log, const char *text, size_t length, unsigned long lost)
{
	if (log->torn && write_all(log->descriptor, "\n", 1) == 0)
		return lost + count_lines(text, length);
	size_t written = write_all(log->descriptor, text, length);
	log->torn = written > 0 && text[written - 1] != '\n';
	lost += count_lines(text + written, length - written);
	if (written < length)
		return lost;
	return lost > 0 && !write_lost_count(log, lost) ? lost : 0;
}

/* Waits a moment before the device is tried again, without the lines that come meanwhile waking it. */
static void rest(struct log *log)
{
	struct timespec until;
	deadline_after(REST_MS, &until);
	while (!log->stopping && pthread_cond_timedwait(&log->changed, &log->lock, &until) == 0)
		;
}

static void *run_writer(void *argument)
{
	struct log *log = argument;
	pthread_mutex_lock(&log->lock);
	for (;;) {
		while (log->length[log->filling] == 0 && log->lost == 0 && !log->stopping)
			pthread_cond_wait(&log->changed, &log->lock);
		unsigned full = log->filling;
		unsigned long lost = log->lost;
		if (log->length[full] == 0 && lost == 0)
			break;
		log->filling = !full;
		log->lost = 0;
		pthread_mutex_unlock(&log->lock);
		lost = write_out(log, log->text[full], log->length[full], lost);
		pthread_mutex_lock(&log->lock);
		log->length[full] = 0;
		log->lost += lost;
		if (lost > 0 && log->stopping)
			break; /* a device that fails gets no second chance at the end */
		if (lost > 0)
			rest(log);
	}
	log->finished = true;
	pthread_cond_broadcast(&log->changed);
	pthread_mutex_unlock(&log->lock);
	return NULL;
}

struct log *log_start(int descriptor, enum valk_log_level level, bool timestamps)
{
	struct log *log = calloc(1, sizeof(*log));
	if (log == NULL)
		return NULL;
	pthread_mutex_init(&log->lock, NULL);
	pthread_condattr_t attributes;
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&log->changed, &attributes);
	pthread_condattr_destroy(&attributes);
	log->descriptor = descriptor;
	log->level = level;
	log->timestamps = timestamps;
	if (pthread_create(&log->thread, NULL, run_writer, log) != 0) {
		free(log);
		return NULL;
	}
	pthread_setname_np(log->thread, "valkyrie-log");
	return log;
}

/* True when the writer ended before the deadline. */
static bool wait_for_writer(struct log *log, unsigned patience_ms)
{
	struct timespec deadline;
	deadline_after(patience_ms, &deadline);
	pthread_mutex_lock(&log->lock);
	log->stopping = true;
	pthread_cond_broadcast(&log->changed);
	int waited = 0;
	while (!log->finished && waited == 0)
		waited = pthread_cond_timedwait(&log->changed, &log->lock, &deadline);
	bool finished = log->finished;
	pthread_mutex_unlock(&log->lock);
	return finished;
}

void log_stop(struct log *log, unsigned patience_ms)
{
	if (log == NULL)
		return;
	if (!wait_for_writer(log, patience_ms)) {
		/* The device still blocks the thread; the memory must stay for it. The process is about to end. */
		pthread_detach(log->thread);
		return;
	}
	pthread_join(log->thread, NULL);
	pthread_cond_destroy(&log->changed);
	pthread_mutex_destroy(&log->lock);
	free(log);
}

static size_t put_timestamp(char *line, size_t capacity)
{
	struct timespec now;
	struct tm utc;
	clock_gettime(CLOCK_REALTIME, &now);
	gmtime_r(&now.tv_sec, &utc);
	size_t length = strftime(line, capacity, "%Y-%m-%dT%H:%M:%S", &utc);
	return length + (size_t)snprintf(line + length, capacity - length, ".%03ldZ ", now.tv_nsec / 1000000);
}

static void enqueue(struct log *log, const char *line, size_t length)
{
	pthread_mutex_lock(&log->lock);
	unsigned half = log->filling;
	if (log->length[half] + length > QUEUE_BYTES) {
		log->lost++;
	} else {
		memcpy(log->text[half] + log->length[half], line, length);
		log->length[half] += length;
	}
	pthread_cond_signal(&log->changed);
	pthread_mutex_unlock(&log->lock);
}

bool log_wants(const struct log *log, enum valk_log_level level)
{
	return log != NULL && level <= log->level;
}

void log_write_arguments(struct log *log, enum valk_log_level level, const char *format, va_list arguments)
{
	if (!log_wants(log, level))
		return;
	char line[LINE_BYTES];
	size_t length = log->timestamps ? put_timestamp(line, sizeof(line)) : 0;
	length += (size_t)snprintf(line + length, sizeof(line) - length, "valkyrie: %s", level_prefix[level]);
	int written = vsnprintf(line + length, sizeof(line) - length, format, arguments);
	if (written < 0)
		return;
	length += (size_t)written;
	if (length > sizeof(line) - 1)
		length = sizeof(line) - 1; /* a longer line is cut */
	line[length] = '\n';
	enqueue(log, line, length + 1);
}

void log_write(struct log *log, enum valk_log_level level, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	log_write_arguments(log, level, format, arguments);
	va_end(arguments);
}
