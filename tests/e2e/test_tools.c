/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The tools people use: curl, nghttp, h2load. */
#define _GNU_SOURCE
#include <unistd.h>

#include "support/process.h"
#include "support/test.h"

static struct outcome outcome;

static void shell(int timeout_ms, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void shell(int timeout_ms, const char *format, ...)
{
	char command[1000];
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(command, sizeof(command), format, arguments);
	va_end(arguments);
	shell_run(&outcome, timeout_ms, command);
	if (outcome.exit_code != 0)
		fail_msg("%s\nended with %d: %s%s", command, outcome.exit_code, outcome.output, outcome.errors);
}

static void curl_shows_the_default_page(void **state)
{
	(void)state;
	struct server server;
	server_start_tls(&server, NULL);
	shell(10000, "curl -sSk https://localhost:%u/ -w '\\n%%{http_version} %%{content_type}'", server.port);
	assert_contains(outcome.output, "<h1>Valkyrie is running</h1>");
	assert_contains(outcome.output, "\n2 text/html; charset=utf-8");
	shell(10000, "curl -sSk --tls-max 1.2 https://127.0.0.1:%u/ -o /dev/null -w '%%{http_version}'", server.port);
	assert_string_equal(outcome.output, "2");
	shell(10000, "curl -sSkg 'https://[::1]:%u/' -o /dev/null -w '%%{http_code}'", server.port);
	assert_string_equal(outcome.output, "200");
	shell(10000, "curl -sSkI https://localhost:%u/", server.port);
	assert_contains(outcome.output, "HTTP/2 200");
	server_stop(&server);
}

static void curl_posts(void **state)
{
	(void)state;
	struct server server;
	server_start_tls(&server, (const char *const[]){"--max-body", "2M", NULL});
	shell(20000,
	      "head -c 2000000 /dev/zero | curl -sSk --data-binary @- https://localhost:%u/ -o /dev/null -w "
	      "'%%{http_code}'",
	      server.port);
	assert_string_equal(outcome.output, "200");
	shell(20000,
	      "head -c 5000000 /dev/zero | curl -sSk --data-binary @- https://localhost:%u/ -o /dev/null -w "
	      "'%%{http_code}'",
	      server.port);
	assert_string_equal(outcome.output, "413");
	server_stop(&server);
}

/* Bodies of every order of magnitude arrive byte for byte. */
static void bodies_are_exact(void **state)
{
	(void)state;
	static const char *const sizes[] = {"0", "1", "16384", "1000001", "1G"};
	char path[100];
	snprintf(path, sizeof(path), "/tmp/valkyrie-body-%d", (int)getpid());
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct server server;
		const char *size = strcmp(sizes[i], "1G") == 0 && is_instrumented() ? "64M" : sizes[i];
		/* Not random, which is slow, but no two blocks are alike. */
		shell(60000, "seq 1 200000000 | head -c %s > %s", size, path);
		server_start_tls(&server, (const char *const[]){"--body-file", path, NULL});
		shell(100000, "curl -sSk https://localhost:%u/ | cmp - %s", server.port, path);
		server_stop(&server);
	}
	unlink(path);
}

static void nghttp_over_tls_and_in_cleartext(void **state)
{
	(void)state;
	struct server server;
	server_start_tls(&server, NULL);
	shell(20000, "nghttp -nv --no-verify-peer https://localhost:%u/ https://localhost:%u/two 2>&1", server.port,
	      server.port);
	assert_contains(outcome.output, ":status: 200");
	assert_contains(outcome.output, "SETTINGS_MAX_CONCURRENT_STREAMS(0x03):100");
	server_stop(&server);
	server_start(&server, NULL);
	shell(20000, "nghttp -nv http://127.0.0.1:%u/ 2>&1", server.port);
	assert_contains(outcome.output, ":status: 200");
	server_stop(&server);
}

static void load(const char *scheme, uint16_t port, const char *arguments, const char *expected)
{
	shell(200000, "h2load %s %s://127.0.0.1:%u/", arguments, scheme, port);
	assert_contains(outcome.output, expected);
	assert_contains(outcome.output, " 0 failed, 0 errored, 0 timeout");
}

static void h2load_100_000_requests_over_100_connections(void **state)
{
	(void)state;
	struct server server;
	server_start_tls(&server, NULL);
	load("https", server.port, "-n 100000 -c 100 -m 10", "status codes: 100000 2xx");
	load("https", server.port, "-n 20000 -c 100 -m 1", "status codes: 20000 2xx");
	server_stop(&server);
	server_start(&server, (const char *const[]){"--workers", "1", NULL});
	load("http", server.port, "-n 50000 -c 10 -m 100", "status codes: 50000 2xx");
	server_stop(&server);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(curl_shows_the_default_page),
		cmocka_unit_test(curl_posts),
		cmocka_unit_test(bodies_are_exact),
		cmocka_unit_test(nghttp_over_tls_and_in_cleartext),
		cmocka_unit_test(h2load_100_000_requests_over_100_connections),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
