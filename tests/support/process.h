/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Processes that a test starts, watches and ends by pid: other tools, and the daemon itself. */
#ifndef SUPPORT_PROCESS_H
#define SUPPORT_PROCESS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* What a finished command did. */
struct outcome {
	int exit_code; /* 128 + number when a signal ended it; -1 when the time was up and it was killed */
	char output[32768];
	char errors[16384];
};

/* A running daemon. */
struct server {
	pid_t pid;
	uint16_t port;
	int log_fd;	 /* reads what it writes to standard error */
	char log[65536]; /* all of it so far */
	size_t log_length;
};

enum { ARGUMENTS_MAX = 40 };

/* Runs `arguments` (NULL-terminated; [0] is looked up in PATH) to its end or for `timeout_ms`. */
void command_run(struct outcome *outcome, int timeout_ms, const char *const arguments[]);

/* The same for a shell command. */
void shell_run(struct outcome *outcome, int timeout_ms, const char *command);

/* Path of the daemon under test. */
const char *daemon_path(void);

/* Runs the daemon to its end: for --help, --check and refused starts. `arguments` without the program's name. */
void daemon_run_to_end(struct outcome *outcome, const char *const arguments[]);

/* Starts the daemon on a free port of the loopback addresses with `arguments` added, and waits until it listens. The
 * test fails when it does not. */
void server_start(struct server *server, const char *const arguments[]);

/* The same with a development certificate. */
void server_start_tls(struct server *server, const char *const arguments[]);

/* Sends a signal. */
void server_signal(struct server *server, int number);

/* Reads the log until it holds `text`. False when `timeout_ms` passes first. */
bool server_wait_log(struct server *server, const char *text, int timeout_ms);

/* Waits for the end and returns the exit code (128 + signal). Fails the test after `timeout_ms`. */
int server_wait_end(struct server *server, int timeout_ms);

/* TERM, and checks that it ends well: exit code 0, no sanitizer report. */
void server_stop(struct server *server);

/* Resident memory of the daemon in KiB. */
long server_rss_kib(const struct server *server);

/* Open descriptors of the daemon. */
int server_descriptors(const struct server *server);

/* CPU time of the daemon in microseconds. */
long long server_cpu_us(const struct server *server);

/* Path of a certificate or key made for the tests, for example "ec256.crt". Static storage for 8 names at a time. */
const char *certificate_path(const char *name);

/* True in builds with a sanitizer, which are several times slower. */
bool is_instrumented(void);

#endif
