/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Log lines from any thread, written to a descriptor by a thread of their own: a full or slow device delays nobody.
 * Lines that find the queue full are dropped and counted, and the count is written when there is room again. */
#ifndef BASE_LOG_H
#define BASE_LOG_H

#include <stdarg.h>
#include <stdbool.h>

#include "valkyrie/log.h"

struct log;

/* Starts the writer for `descriptor`, which stays the caller's and must outlive the log. Lines above `level` are
 * dropped; `timestamps` puts an ISO 8601 UTC time before each. NULL when the thread or its memory is refused. */
struct log *log_start(int descriptor, enum valk_log_level level, bool timestamps);

/* Waits until what is queued is written, but at most `patience_ms`, ends the thread and frees the log. NULL is
 * allowed. */
void log_stop(struct log *log, unsigned patience_ms);

/* True when a line of `level` would be written: to spare the work of making one. Any thread. */
bool log_wants(const struct log *log, enum valk_log_level level);

/* Queues one line (without its line feed). Never blocks on I/O. NULL `log` drops the line. Any thread. */
void log_write(struct log *log, enum valk_log_level level, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* As log_write with the arguments of the caller's own variadic function. */
void log_write_arguments(struct log *log, enum valk_log_level level, const char *format, va_list arguments)
	__attribute__((format(printf, 3, 0)));

#endif
