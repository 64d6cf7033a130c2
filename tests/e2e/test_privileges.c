/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the daemon gives up before it serves, as the kernel reports it. */
#define _GNU_SOURCE
#include <sys/stat.h>
#include <unistd.h>

#include "support/h2_client.h"
#include "support/process.h"
#include "support/test.h"

#define ARGUMENTS(...) ((const char *const[]){__VA_ARGS__, NULL})

/* A line of /proc/PID/status, without its name. Static storage. */
static const char *status_line(const struct server *server, const char *name)
{
	static char line[256];
	char path[64];
	snprintf(path, sizeof(path), "/proc/%d/status", (int)server->pid);
	FILE *file = fopen(path, "re");
	assert_non_null(file);
	size_t length = strlen(name);
	while (fgets(line, sizeof(line), file) != NULL) {
		if (strncmp(line, name, length) == 0 && line[length] == ':') {
			fclose(file);
			line[strcspn(line, "\n")] = '\0';
			return line + length + 1 + strspn(line + length + 1, " \t");
		}
	}
	fclose(file);
	fail_msg("no %s in %s", name, path);
	return "";
}

static void assert_served(const struct server *server, bool cleartext)
{
	struct response response;
	struct h2_client *client = client_connect(server->port, &(struct client_options){.cleartext = cleartext});
	client_send_preface(client);
	assert_true(client_get(client, 1, "/", &response));
	assert_int_equal(response.status, 200);
	response_free(&response);
	client_close(client);
}

static void need_root(void)
{
	if (geteuid() != 0)
		skip();
}

static void root_needs_a_word(void **state)
{
	(void)state;
	struct outcome outcome;
	need_root();
	command_run(&outcome, 10000, ARGUMENTS(daemon_path(), "--port", "0"));
	assert_int_equal(outcome.exit_code, 2);
	assert_contains(outcome.errors, "would serve as root; give --user NAME");
	command_run(&outcome, 10000, ARGUMENTS(daemon_path(), "--check"));
	assert_int_equal(outcome.exit_code, 0);
	command_run(&outcome, 10000, ARGUMENTS(daemon_path(), "--check", "--user", "no-such-user-here"));
	assert_int_equal(outcome.exit_code, 2);
	assert_contains(outcome.errors, "there is no user 'no-such-user-here'");
	command_run(&outcome, 10000, ARGUMENTS(daemon_path(), "--user", "nobody", "--allow-root"));
	assert_int_equal(outcome.exit_code, 2);
	command_run(&outcome, 10000,
		    ARGUMENTS(daemon_path(), "--user", "nobody", "--port", "0", "--chroot", "/no/such/folder"));
	assert_int_equal(outcome.exit_code, 71);
	assert_contains(outcome.errors, "cannot make /no/such/folder the root folder: No such file or directory");
}

static void root_becomes_a_user(void **state)
{
	(void)state;
	struct server server;
	need_root();
	server_start_tls(&server, ARGUMENTS("--user", "nobody", "--workers", "2"));
	assert_served(&server, false);
	assert_string_not_equal(status_line(&server, "Uid"), "0\t0\t0\t0");
	assert_string_equal(status_line(&server, "CapEff"), "0000000000000000");
	assert_string_equal(status_line(&server, "CapPrm"), "0000000000000000");
	assert_contains(server.log, "confinement  nobody");
	server_stop(&server);
}

static void serving_is_confined(void **state)
{
	(void)state;
	struct server server;
	server_start_tls(&server, ARGUMENTS("--workers", "2"));
	assert_served(&server, false);
	assert_string_equal(status_line(&server, "NoNewPrivs"), "1");
	if (!is_instrumented())
		assert_string_equal(status_line(&server, "Seccomp"), "2"); /* a filter */
	server_stop(&server);
	server_start_tls(&server, ARGUMENTS("--no-sandbox"));
	assert_served(&server, false);
	assert_string_equal(status_line(&server, "Seccomp"), "0");
	assert_contains(server.log, "no Landlock, no seccomp");
	server_stop(&server);
}

static void a_folder_of_its_own(void **state)
{
	(void)state;
	struct server server;
	char folder[] = "/tmp/valkyrie-root-XXXXXX", link[64], seen[256];
	need_root();
	if (is_instrumented())
		skip(); /* LeakSanitizer wants /proc at the end */
	assert_non_null(mkdtemp(folder));
	/* In cleartext: some TLS libraries would need a device there. */
	server_start(&server, ARGUMENTS("--user", "nobody", "--chroot", folder));
	snprintf(link, sizeof(link), "/proc/%d/root", (int)server.pid);
	ssize_t length = readlink(link, seen, sizeof(seen) - 1);
	assert_true(length > 0);
	seen[length] = '\0';
	assert_string_equal(seen, folder);
	assert_served(&server, true);
	server_stop(&server);
	rmdir(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(root_needs_a_word),
		cmocka_unit_test(root_becomes_a_user),
		cmocka_unit_test(serving_is_confined),
		cmocka_unit_test(a_folder_of_its_own),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
