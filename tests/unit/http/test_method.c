/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "http/method.h"

#include "http/text.h"
#include "support/test.h"

static void tokens(void **state)
{
	(void)state;
	assert_int_equal(method_parse(TEXT("GET")), VALK_METHOD_GET);
	assert_int_equal(method_parse(TEXT("HEAD")), VALK_METHOD_HEAD);
	assert_int_equal(method_parse(TEXT("CONNECT")), VALK_METHOD_CONNECT);
	assert_int_equal(method_parse(TEXT("PATCH")), VALK_METHOD_PATCH);
	assert_int_equal(method_parse(TEXT("get")), VALK_METHOD_OTHER); /* case-sensitive, RFC 9110 section 9.1 */
	assert_int_equal(method_parse(TEXT("GET ")), VALK_METHOD_OTHER);
	assert_int_equal(method_parse(TEXT("")), VALK_METHOD_OTHER);
	assert_int_equal(method_parse(TEXT("BREW")), VALK_METHOD_OTHER);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(tokens)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
