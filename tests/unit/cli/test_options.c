/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/options.h"

#include "cli/suggest.h"
#include "support/test.h"

static struct options options;
static struct valk_diagnostic diagnostic;

/* Parses words separated by spaces. */
static enum valk_error parse(const char *line)
{
	static char copy[512];
	static char name[] = "valkyrie";
	char *words[32] = {name};
	int count = 1;
	snprintf(copy, sizeof(copy), "%s", line);
	for (char *word = strtok(copy, " "); word != NULL; word = strtok(NULL, " "))
		words[count++] = word;
	words[count] = NULL;
	return options_parse(count, words, &options, &diagnostic);
}

static void defaults(void **state)
{
	(void)state;
	assert_int_equal(parse(""), VALK_OK);
	assert_int_equal(options.config.port, 8080);
	assert_int_equal(options.config.limits.body_bytes, 1 << 20);
	assert_int_equal(options.drain_timeout_ms, 30000);
	assert_int_equal(parse("--tls --cert a --key b"), VALK_OK);
	assert_int_equal(options.config.port, 8443);
}

static void every_form(void **state)
{
	(void)state;
	assert_int_equal(parse("--tls --port=0 --cert a --key b -n 3 --host ::1 --host 127.0.0.1 --max-body 2M "
			       "--idle-timeout 500ms --status 404 --header a:b --header c:d --drain-timeout 5"),
			 VALK_OK);
	assert_int_equal(options.config.port, 0);
	assert_int_equal(options.config.workers, 3);
	assert_int_equal(options.config.host_count, 2);
	assert_int_equal(options.config.limits.body_bytes, 2 << 20);
	assert_int_equal(options.config.limits.idle_timeout_ms, 500);
	assert_int_equal(options.response.status, 404);
	assert_int_equal(options.response.field_count, 2);
	assert_int_equal(options.response.fields[1].name.length, 1);
	assert_int_equal(options.drain_timeout_ms, 5000);
	assert_int_equal(parse("--workers auto -t -q"), VALK_OK);
	assert_int_equal(options.config.workers, 0);
	assert_true(options.check_only && options.quiet);
}

static void errors_name_option_value_and_fix(void **state)
{
	(void)state;
	static const char *const cases[][3] = {
		{"--prot 1", "unknown option '--prot'", "did you mean '--port'?"},
		{"--max-steams 1", "unknown option '--max-steams'", "did you mean '--max-streams'?"},
		{"--frobnicate", "unknown option '--frobnicate'", "see valkyrie --help"},
		{"-x", "unknown option '-x'", "see valkyrie --help"},
		{"--port", "option '--port' needs a value", "give N"},
		{"-n", "option '-n' needs a value", "give N|auto"},
		{"--port 70000", "option '--port' cannot be '70000'", "from 0 to 65535"},
		{"--port http", "option '--port' cannot be 'http'", "whole number"},
		{"--workers 0", "option '--workers' cannot be '0'", "or auto"},
		{"--status 99", "option '--status' cannot be '99'", "from 200 to 599"},
		{"--header novalue", "option '--header' cannot be 'novalue'", "'name: value'"},
		{"--idle-timeout 0", "option '--idle-timeout' cannot be '0'", "from 1ms to 24h"},
		{"--idle-timeout 5d", "option '--idle-timeout' cannot be '5d'", "s, m or h"},
		{"--max-body 1T", "option '--max-body' cannot be '1T'", "K, M or G"},
		{"--body a --body-file b", "'--body' and '--body-file'", "give one"},
		{"--cert a", "option '--cert' needs '--tls'", "add it"},
		{"--tls", "option '--tls' needs '--cert FILE'", "add it"},
		{"--tls --cert a", "option '--tls' needs '--key FILE'", "add it"},
		{"--tls=yes", "takes no value", "leave out"},
		{"serve", "unexpected argument 'serve'", "begin with --"},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(parse(cases[i][0]), VALK_ERROR_USAGE);
		assert_contains(diagnostic.text, cases[i][1]);
		assert_contains(diagnostic.text, cases[i][2]);
	}
}

static void help_lists_every_option(void **state)
{
	(void)state;
	char *text;
	size_t size;
	FILE *stream = open_memstream(&text, &size);
	options_print_help(stream);
	fclose(stream);
	for (size_t i = 0; i < option_spec_count; i++) {
		char name[64];
		snprintf(name, sizeof(name), "--%s", option_specs[i].name);
		assert_contains(text, name);
		assert_contains(text, option_specs[i].help);
	}
	for (const char *line = text; *line != '\0'; line = strchr(line, '\n') + 1)
		assert_true(strcspn(line, "\n") <= 120);
	free(text);
}

static void suggestions(void **state)
{
	(void)state;
	assert_string_equal(suggest_option("--hots"), "host");
	assert_string_equal(suggest_option("--bodyfile=x"), "body-file");
	assert_null(suggest_option("--xyzzy"));
	assert_null(suggest_option("--"));
	assert_null(suggest_option(
		"--aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(defaults), cmocka_unit_test(every_form),
					   cmocka_unit_test(errors_name_option_value_and_fix),
					   cmocka_unit_test(help_lists_every_option), cmocka_unit_test(suggestions)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
