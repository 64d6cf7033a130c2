/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "http/target.h"

#include "http/text.h"
#include "support/test.h"

static struct valk_text text(const char *bytes)
{
	return (struct valk_text){bytes, strlen(bytes)};
}

static void schemes(void **state)
{
	(void)state;
	assert_true(target_scheme_is_valid(TEXT("https")));
	assert_true(target_scheme_is_valid(TEXT("HTTP")));
	assert_false(target_scheme_is_valid(TEXT("ftp")));
	assert_false(target_scheme_is_valid(TEXT("")));
	assert_false(target_scheme_is_valid(TEXT("https://a")));
}

static void authorities(void **state)
{
	(void)state;
	static const char *const good[] = {"localhost", "localhost:8443", "example.com:",  "127.0.0.1:1",
					   "[::1]",	"[::1]:443",	  "a-b_c.example", "xn--bcher-kva.example"};
	static const char *const bad[] = {"",	  "user@host", "user:pw@host", "host:port", "host:123456", "[::1",
					  "[]",	  "host/path", "a b",	       "[::1]443",  "host:1:2",	   "h\xc3\xa4",
					  ":443", "host?q",    "host#f",       "[::1]:x"};
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		assert_true(target_authority_is_valid(text(good[i])));
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_false(target_authority_is_valid(text(bad[i])));
}

static void paths(void **state)
{
	(void)state;
	static const char *const good[] = {"/",		"/a/b.c",  "/a?b=c&d=/../e", "/..a", "/a../b",
					   "/%2e%2e/x", "/~u/%20", "/a|b",	     "/..."};
	static const char *const bad[] = {"",	   "a",	    "http://a/b", "/a#b",  "/a b", "/a\tb",  "/\xc3\xa4", "/..",
					  "/../a", "/a/..", "/a/../b",	  "/..?q", "\\a",  "/a\x7f", "*a"};
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		assert_true(target_path_is_valid(text(good[i]), VALK_METHOD_GET));
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_false(target_path_is_valid(text(bad[i]), VALK_METHOD_GET));
	assert_false(target_path_is_valid(TEXT("/a\0b"), VALK_METHOD_GET));
	assert_false(target_path_is_valid(TEXT("*"), VALK_METHOD_GET));
	assert_true(target_path_is_valid(TEXT("*"), VALK_METHOD_OPTIONS));
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(schemes), cmocka_unit_test(authorities),
					   cmocka_unit_test(paths)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
