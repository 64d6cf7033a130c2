/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is given up cannot be undone, so each test gives it up in a child. */
#define _GNU_SOURCE
#include "sandbox/confinement.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/process.h"
#include "support/test.h"

/* Runs `check` in a child; it returns the number of the step that failed, 0 when all was well. */
static void in_child(int (*check)(void))
{
	int status;
	pid_t pid = fork();
	assert_true(pid >= 0);
	if (pid == 0)
		_exit(check());
	assert_int_equal(waitpid(pid, &status, 0), pid);
	if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
		fail_msg("step %d failed, status %x", WEXITSTATUS(status), (unsigned)status);
}

static int no_files(void)
{
	char byte;
	struct valk_diagnostic diagnostic = {""};
	int open_before = open("/etc/passwd", O_RDONLY);
	confinement_forbid_new_privileges();
	if (confinement_close_files(false, &diagnostic) != VALK_OK)
		return strstr(diagnostic.text, "Landlock") != NULL ? 0 : 1; /* an old kernel: nothing more to test */
	if (read(open_before, &byte, 1) != 1)
		return 2;
	if (open("/etc/passwd", O_RDONLY) >= 0 || errno != EACCES)
		return 3;
	if (open("/tmp/valkyrie-confined", O_WRONLY | O_CREAT, 0600) >= 0 || errno != EACCES)
		return 4;
	if (mkdir("/tmp/valkyrie-confined", 0700) == 0 || errno != EACCES)
		return 5;
	return 0;
}

/* For TLS libraries that need it. */
static int random_device_only(void)
{
	char byte;
	struct valk_diagnostic diagnostic = {""};
	confinement_forbid_new_privileges();
	if (confinement_close_files(true, &diagnostic) != VALK_OK)
		return 0;
	if (!is_instrumented() && confinement_limit_calls(true, &diagnostic) != VALK_OK)
		return 1;
	int device = open("/dev/urandom", O_RDONLY);
	if (device < 0 || read(device, &byte, 1) != 1)
		return 2;
	if (open("/dev/urandom", O_WRONLY) >= 0 || open("/etc/passwd", O_RDONLY) >= 0)
		return 3;
	return 0;
}

static atomic_int thread_errno;
static int start_pipe[2];

static void *try_later(void *argument)
{
	char byte;
	(void)argument;
	if (read(start_pipe[0], &byte, 1) == 1)
		atomic_store(&thread_errno, socket(AF_INET, SOCK_STREAM, 0) < 0 ? errno : 0);
	return NULL;
}

static int few_calls(void)
{
	struct valk_diagnostic diagnostic = {""};
	char *const arguments[] = {NULL};
	pthread_t thread;
	if (pipe(start_pipe) != 0 || pthread_create(&thread, NULL, try_later, NULL) != 0)
		return 1;
	confinement_forbid_new_privileges();
	if (confinement_limit_calls(false, &diagnostic) != VALK_OK)
		return strstr(diagnostic.text, "seccomp") != NULL ? 0 : 2;
	if (socket(AF_INET, SOCK_STREAM, 0) >= 0 || errno != EPERM)
		return 3;
	if (open("/etc/passwd", O_RDONLY) >= 0 || errno != EPERM)
		return 4;
	if (execv("/bin/true", arguments) == 0 || errno != EPERM)
		return 5;
	if (fork() >= 0 || errno != EPERM)
		return 6;
	/* The threads that ran before are confined too; what serving needs still works. */
	if (write(start_pipe[1], "x", 1) != 1 || pthread_join(thread, NULL) != 0)
		return 7;
	return atomic_load(&thread_errno) == EPERM ? 0 : 8;
}

static void files_are_out_of_reach(void **state)
{
	(void)state;
	in_child(no_files);
}

static void the_random_device_can_be_kept(void **state)
{
	(void)state;
	in_child(random_device_only);
}

static void other_system_calls_fail(void **state)
{
	(void)state;
	if (is_instrumented())
		skip(); /* a sanitizer makes system calls of its own */
	in_child(few_calls);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(files_are_out_of_reach),
		cmocka_unit_test(the_random_device_can_be_kept),
		cmocka_unit_test(other_system_calls_fail),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
