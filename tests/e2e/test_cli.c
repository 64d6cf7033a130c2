/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a person at a terminal sees: help, versions, and every refused start with its exit code. */
#define _GNU_SOURCE
#include <signal.h>
#include <unistd.h>

#include "support/h2_client.h"
#include "support/process.h"
#include "support/test.h"

/* Runs the daemon and expects an exit code, and a text in its single line on standard error. */
static void refused(int exit_code, const char *text, const char *const arguments[])
{
	struct outcome outcome;
	daemon_run_to_end(&outcome, arguments);
	if (outcome.exit_code != exit_code)
		fail_msg("expected exit code %d, got %d: %s", exit_code, outcome.exit_code, outcome.errors);
	assert_string_equal(outcome.output, "");
	assert_contains(outcome.errors, "valkyrie: error: ");
	assert_contains(outcome.errors, text);
	assert_ptr_equal(strchr(outcome.errors, '\n'), outcome.errors + strlen(outcome.errors) - 1); /* one line */
}

#define ARGUMENTS(...) ((const char *const[]){__VA_ARGS__, NULL})

static void help_and_version(void **state)
{
	(void)state;
	struct outcome outcome;
	daemon_run_to_end(&outcome, ARGUMENTS("--help"));
	assert_int_equal(outcome.exit_code, 0);
	assert_string_equal(outcome.errors, "");
	assert_contains(outcome.output, "Usage: valkyrie");
	assert_contains(outcome.output, "--body-file FILE");
	daemon_run_to_end(&outcome, ARGUMENTS("-h"));
	assert_int_equal(outcome.exit_code, 0);
	daemon_run_to_end(&outcome, ARGUMENTS("--version"));
	assert_int_equal(outcome.exit_code, 0);
	assert_contains(outcome.output, "valkyrie 0.");
	assert_contains(outcome.output, "wolfSSL ");
	assert_contains(outcome.output, "nghttp2 ");
	assert_contains(outcome.output, "CPU features in use: ");
}

static void usage_errors_are_2(void **state)
{
	(void)state;
	refused(2, "unknown option '--prot'; did you mean '--port'?", ARGUMENTS("--prot", "1"));
	refused(2, "option '--port' cannot be '99999'", ARGUMENTS("--port", "99999"));
	refused(2, "unexpected argument 'now'", ARGUMENTS("now"));
	refused(2, "option '--tls' needs '--cert FILE'", ARGUMENTS("--tls"));
	refused(2, "host 'localhost' is not a numeric", ARGUMENTS("--host", "localhost"));
	refused(2, "header name 'a b' is not valid", ARGUMENTS("--header", "a b: c"));
	refused(2, "is set by the server itself", ARGUMENTS("--header", "date: now"));
	refused(2, "header 'content-type' is not valid", ARGUMENTS("--content-type", "a\nb"));
	refused(2, "server name", ARGUMENTS("--server-name", "a\tb "));
	refused(2, "option '--max-header-size' cannot be '10'; give a size from 1024",
		ARGUMENTS("--max-header-size", "10"));
}

static void tls_refused(const char *certificate, const char *key, const char *text)
{
	refused(78, text,
		ARGUMENTS("--tls", "--port", "0", "--cert", certificate_path(certificate), "--key",
			  certificate_path(key)));
}

static void file_and_certificate_errors_are_78(void **state)
{
	(void)state;
	tls_refused("absent.crt", "ec256.key", "No such file or directory; check the path");
	tls_refused("ec256.crt", "absent.key", "No such file or directory; check the path");
	tls_refused("empty.crt", "ec256.key", "holds no PEM certificate");
	tls_refused("ec256.crt", "encrypted.key", "is encrypted");
	tls_refused("ec256.crt", "rsa2048.key", "does not belong to certificate");
	tls_refused("rsa1024.crt", "rsa1024.key", "unsupported key: RSA-1024");
	tls_refused("garbage.crt", "ec256.key", "cannot be parsed");
	refused(78, "cannot read body file /nonexistent", ARGUMENTS("--body-file", "/nonexistent"));
	refused(78, "not a regular file", ARGUMENTS("--body-file", "/tmp"));
}

static void what_the_system_refuses_is_71(void **state)
{
	(void)state;
	struct server server;
	char port[16], text[64];
	server_start(&server, NULL);
	snprintf(port, sizeof(port), "%u", server.port);
	snprintf(text, sizeof(text), "port %u is held by pid %d (valkyrie)", server.port, (int)server.pid);
	refused(71, text, ARGUMENTS("--host", "127.0.0.1", "--port", port));
	server_stop(&server);
	refused(71, "no interface has this address", ARGUMENTS("--host", "192.0.2.1", "--port", "8443"));
	if (geteuid() != 0)
		refused(71, "permission denied; give the binary CAP_NET_BIND_SERVICE", ARGUMENTS("--port", "1"));
}

static void a_low_descriptor_limit_is_named(void **state)
{
	(void)state;
	struct outcome outcome;
	char command[400];
	snprintf(command, sizeof(command), "ulimit -n 40; exec %s --allow-root --port 0", daemon_path());
	shell_run(&outcome, 20000, command);
	assert_int_equal(outcome.exit_code, 71);
	assert_contains(outcome.errors, "descriptor limit 40 is too low");
}

static void check_validates_and_exits(void **state)
{
	(void)state;
	struct outcome outcome;
	daemon_run_to_end(&outcome, ARGUMENTS("--check", "--tls", "--cert", certificate_path("chain.crt"), "--key",
					      certificate_path("chain.key")));
	assert_int_equal(outcome.exit_code, 0);
	assert_contains(outcome.output, "the configuration is fine");
	refused(78, "does not belong",
		ARGUMENTS("-t", "--tls", "--cert", certificate_path("chain.crt"), "--key",
			  certificate_path("ec256.key")));
	refused(2, "needs '--tls'", ARGUMENTS("-t", "--cert", "a"));
}

static void the_banner_says_what_runs(void **state)
{
	(void)state;
	struct server server;
	server_start_tls(&server, ARGUMENTS("--workers", "2"));
	assert_contains(server.log, "listening    https://127.0.0.1:");
	assert_contains(server.log, "listening    https://[::1]:");
	assert_contains(server.log, "workers      2 on ");
	assert_contains(server.log, "certificate  localhost (EC P-256 ");
	assert_contains(server.log, "29 days left");
	server_stop(&server);
	assert_contains(server.log, "SIGTERM: ending gracefully");
	assert_contains(server.log, "ended after 0 requests on 0 connections");
}

static void quiet_says_nothing(void **state)
{
	(void)state;
	struct outcome outcome;
	char command[400];
	/* It ends by its own signal. */
	snprintf(command, sizeof(command), "timeout -s TERM 1 %s --allow-root %s -q --host 127.0.0.1 --port 0; echo $?",
		 daemon_path(), is_instrumented() ? "--no-sandbox" : "");
	shell_run(&outcome, 20000, command);
	assert_string_equal(outcome.errors, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(help_and_version),
		cmocka_unit_test(usage_errors_are_2),
		cmocka_unit_test(file_and_certificate_errors_are_78),
		cmocka_unit_test(what_the_system_refuses_is_71),
		cmocka_unit_test(a_low_descriptor_limit_is_named),
		cmocka_unit_test(check_validates_and_exits),
		cmocka_unit_test(the_banner_says_what_runs),
		cmocka_unit_test(quiet_says_nothing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
