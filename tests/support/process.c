/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE
#include "support/process.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/clock.h"
#include "support/test.h"

static const char *build_folder(void)
{
	const char *folder = getenv("BUILD");
	return folder != NULL ? folder : "build";
}

const char *daemon_path(void)
{
	static char path[256];
	snprintf(path, sizeof(path), "%s/valkyrie", build_folder());
	return path;
}

const char *certificate_path(const char *name)
{
	static char paths[8][256];
	static unsigned next;
	char *path = paths[next++ % 8];
	snprintf(path, sizeof(paths[0]), "build/test-certificates/%s", name);
	return path;
}

bool is_instrumented(void)
{
	return strstr(build_folder(), "sanitize") != NULL;
}

/* Starts a child whose standard output and error go to the given descriptors. It dies with the test. */
static pid_t spawn(const char *const arguments[], int output, int errors)
{
	pid_t pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		int nothing = open("/dev/null", O_RDONLY);
		dup2(nothing, 0);
		dup2(output, 1);
		dup2(errors, 2);
		execvp(arguments[0], (char *const *)(uintptr_t)arguments);
		dprintf(2, "cannot run %s: %s\n", arguments[0], strerror(errno));
		_exit(127);
	}
	return pid;
}

static int exit_code_of(int status)
{
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* Appends what can be read to `text`; false at the end of the stream. */
static bool drain_into(int fd, char *text, size_t size)
{
	size_t length = strlen(text);
	char lost[4096];
	bool room = length + 1 < size;
	ssize_t count = read(fd, room ? text + length : lost, room ? size - length - 1 : sizeof(lost));
	if (count > 0 && room)
		text[length + (size_t)count] = '\0';
	return count > 0 || (count < 0 && errno == EINTR);
}

void command_run(struct outcome *outcome, int timeout_ms, const char *const arguments[])
{
	int output[2], errors[2];
	memset(outcome, 0, sizeof(*outcome));
	assert_int_equal(pipe2(output, O_CLOEXEC), 0);
	assert_int_equal(pipe2(errors, O_CLOEXEC), 0);
	pid_t pid = spawn(arguments, output[1], errors[1]);
	close(output[1]);
	close(errors[1]);
	int64_t deadline = now_ms() + timeout_ms;
	struct pollfd polled[2] = {{output[0], POLLIN, 0}, {errors[0], POLLIN, 0}};
	while ((polled[0].fd >= 0 || polled[1].fd >= 0) && now_ms() < deadline) {
		poll(polled, 2, (int)(deadline - now_ms()));
		if (polled[0].revents != 0 && !drain_into(output[0], outcome->output, sizeof(outcome->output)))
			polled[0].fd = -1;
		if (polled[1].revents != 0 && !drain_into(errors[0], outcome->errors, sizeof(outcome->errors)))
			polled[1].fd = -1;
	}
	bool late = polled[0].fd >= 0 || polled[1].fd >= 0;
	if (late)
		kill(pid, SIGKILL);
	int status;
	waitpid(pid, &status, 0);
	outcome->exit_code = late ? -1 : exit_code_of(status);
	close(output[0]);
	close(errors[0]);
}

void shell_run(struct outcome *outcome, int timeout_ms, const char *command)
{
	command_run(outcome, timeout_ms, (const char *const[]){"sh", "-c", command, NULL});
}

/* Copies `more` behind `list`. */
static void add_arguments(const char *list[ARGUMENTS_MAX], const char *const more[])
{
	size_t count = 0;
	while (list[count] != NULL)
		count++;
	for (; more != NULL && *more != NULL; more++) {
		assert_true(count + 1 < ARGUMENTS_MAX);
		list[count++] = *more;
	}
	list[count] = NULL;
}

/* Tests may run as root. A sanitizer needs system calls and files that serving does not. */
static void add_privileges(const char *list[ARGUMENTS_MAX], const char *const arguments[])
{
	bool named = false;
	for (; arguments != NULL && *arguments != NULL; arguments++)
		named |= strcmp(*arguments, "--user") == 0;
	if (!named)
		add_arguments(list, (const char *const[]){"--allow-root", NULL});
	if (is_instrumented())
		add_arguments(list, (const char *const[]){"--no-sandbox", NULL});
}

void daemon_run_to_end(struct outcome *outcome, const char *const arguments[])
{
	const char *list[ARGUMENTS_MAX] = {daemon_path(), NULL};
	add_privileges(list, arguments);
	add_arguments(list, arguments);
	command_run(outcome, 20000, list);
}

bool server_wait_log(struct server *server, const char *text, int timeout_ms)
{
	int64_t deadline = now_ms() + timeout_ms;
	while (strstr(server->log, text) == NULL) {
		int64_t left = deadline - now_ms();
		struct pollfd polled = {.fd = server->log_fd, .events = POLLIN};
		if (left <= 0 || poll(&polled, 1, (int)left) == 0)
			return false;
		if (!drain_into(server->log_fd, server->log, sizeof(server->log)))
			return strstr(server->log, text) != NULL;
	}
	return true;
}

static void start(struct server *server, const char *list[ARGUMENTS_MAX])
{
	int errors[2];
	memset(server, 0, sizeof(*server));
	assert_int_equal(pipe2(errors, O_CLOEXEC), 0);
	server->pid = spawn(list, errors[1], errors[1]);
	close(errors[1]);
	server->log_fd = errors[0];
	/* The banner's last line: everything is listening by then. */
	if (!server_wait_log(server, "  limits ", 20000)) {
		kill(server->pid, SIGKILL);
		fail_msg("the daemon did not start:\n%s", server->log);
	}
	const char *url = strstr(server->log, "://127.0.0.1:");
	if (url == NULL)
		fail_msg("no port in the banner:\n%s", server->log);
	else
		server->port = (uint16_t)atoi(url + strlen("://127.0.0.1:"));
}

void server_start(struct server *server, const char *const arguments[])
{
	const char *list[ARGUMENTS_MAX] = {daemon_path(), "--host", "127.0.0.1", "--host", "::1", "--port", "0", NULL};
	add_privileges(list, arguments);
	add_arguments(list, arguments);
	start(server, list);
}

void server_start_tls(struct server *server, const char *const arguments[])
{
	const char *list[ARGUMENTS_MAX] = {daemon_path(), "--host",
					   "127.0.0.1",	  "--host",
					   "::1",	  "--port",
					   "0",		  "--tls",
					   "--cert",	  certificate_path("ec256.crt"),
					   "--key",	  certificate_path("ec256.key"),
					   NULL};
	add_privileges(list, arguments);
	add_arguments(list, arguments);
	start(server, list);
}

void server_signal(struct server *server, int number)
{
	assert_int_equal(kill(server->pid, number), 0);
}

int server_wait_end(struct server *server, int timeout_ms)
{
	int64_t deadline = now_ms() + timeout_ms;
	/* The end of its standard error is the end of the process. */
	for (;;) {
		int64_t left = deadline - now_ms();
		struct pollfd polled = {.fd = server->log_fd, .events = POLLIN};
		if (left <= 0 || poll(&polled, 1, (int)left) == 0) {
			kill(server->pid, SIGKILL);
			waitpid(server->pid, NULL, 0);
			fail_msg("the daemon did not end in %d ms:\n%s", timeout_ms, server->log);
		}
		if (!drain_into(server->log_fd, server->log, sizeof(server->log)))
			break;
	}
	int status;
	waitpid(server->pid, &status, 0);
	close(server->log_fd);
	return exit_code_of(status);
}

void server_stop(struct server *server)
{
	server_signal(server, SIGTERM);
	int code = server_wait_end(server, 45000);
	if (code != 0 || strstr(server->log, "Sanitizer") != NULL || strstr(server->log, "runtime error") != NULL)
		fail_msg("the daemon ended with %d:\n%s", code, server->log);
}

long server_rss_kib(const struct server *server)
{
	char path[64], line[256];
	long kib = -1;
	snprintf(path, sizeof(path), "/proc/%d/status", (int)server->pid);
	FILE *file = fopen(path, "re");
	assert_non_null(file);
	while (fgets(line, sizeof(line), file) != NULL)
		sscanf(line, "VmRSS: %ld", &kib);
	fclose(file);
	return kib;
}

int server_descriptors(const struct server *server)
{
	char path[64];
	int count = 0;
	snprintf(path, sizeof(path), "/proc/%d/fd", (int)server->pid);
	DIR *folder = opendir(path);
	assert_non_null(folder);
	while (readdir(folder) != NULL)
		count++;
	closedir(folder);
	return count - 2; /* "." and ".." */
}

long long server_cpu_us(const struct server *server)
{
	char path[64], text[1024] = "";
	snprintf(path, sizeof(path), "/proc/%d/stat", (int)server->pid);
	FILE *file = fopen(path, "re");
	assert_non_null(file);
	assert_non_null(fgets(text, sizeof(text), file));
	fclose(file);
	long long user = 0, system = 0;
	sscanf(strrchr(text, ')') + 2, "%*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lld %lld", &user, &system);
	return (user + system) * 1000000 / sysconf(_SC_CLK_TCK);
}
