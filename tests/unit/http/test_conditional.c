/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "http/conditional.h"

#include "http/text.h"
#include "support/test.h"

static const struct validators validators = {.etag = {"\"abc\"", 5}, .last_modified = 784111777};

static enum conditional_verdict ask(enum valk_method method, const char *name, const char *value)
{
	const struct valk_field field = {{name, strlen(name)}, {value, strlen(value)}};
	const struct valk_request request = {.method = method, .fields = &field, .field_count = 1};
	return conditional_evaluate(&request, &validators);
}

static void if_none_match(void **state)
{
	(void)state;
	assert_int_equal(ask(VALK_METHOD_GET, "if-none-match", "\"abc\""), CONDITIONAL_NOT_MODIFIED);
	assert_int_equal(ask(VALK_METHOD_HEAD, "if-none-match", "\"x\", W/\"abc\""), CONDITIONAL_NOT_MODIFIED);
	assert_int_equal(ask(VALK_METHOD_GET, "if-none-match", "*"), CONDITIONAL_NOT_MODIFIED);
	assert_int_equal(ask(VALK_METHOD_POST, "if-none-match", "*"), CONDITIONAL_FAILED);
	assert_int_equal(ask(VALK_METHOD_GET, "if-none-match", "\"abd\""), CONDITIONAL_PROCEED);
	assert_int_equal(ask(VALK_METHOD_GET, "if-none-match", "abc"), CONDITIONAL_PROCEED);
	assert_int_equal(ask(VALK_METHOD_GET, "if-none-match", "\"abc"), CONDITIONAL_PROCEED);
	assert_int_equal(ask(VALK_METHOD_GET, "if-none-match", ""), CONDITIONAL_PROCEED);
}

static void if_match(void **state)
{
	(void)state;
	assert_int_equal(ask(VALK_METHOD_GET, "if-match", "\"abc\""), CONDITIONAL_PROCEED);
	assert_int_equal(ask(VALK_METHOD_GET, "if-match", "W/\"abc\""), CONDITIONAL_FAILED);
	assert_int_equal(ask(VALK_METHOD_GET, "if-match", "\"x\""), CONDITIONAL_FAILED);
	assert_int_equal(ask(VALK_METHOD_GET, "if-match", "*"), CONDITIONAL_PROCEED);
}

static void dates(void **state)
{
	(void)state;
	const char *same = "Sun, 06 Nov 1994 08:49:37 GMT";
	const char *before = "Sun, 06 Nov 1994 08:49:36 GMT";
	assert_int_equal(ask(VALK_METHOD_GET, "if-modified-since", same), CONDITIONAL_NOT_MODIFIED);
	assert_int_equal(ask(VALK_METHOD_GET, "if-modified-since", before), CONDITIONAL_PROCEED);
	assert_int_equal(ask(VALK_METHOD_POST, "if-modified-since", same), CONDITIONAL_PROCEED);
	assert_int_equal(ask(VALK_METHOD_GET, "if-modified-since", "rubbish"), CONDITIONAL_PROCEED);
	assert_int_equal(ask(VALK_METHOD_GET, "if-unmodified-since", same), CONDITIONAL_PROCEED);
	assert_int_equal(ask(VALK_METHOD_GET, "if-unmodified-since", before), CONDITIONAL_FAILED);
}

/* RFC 9110 section 13.2.2: If-None-Match makes If-Modified-Since void. */
static void precedence(void **state)
{
	(void)state;
	const struct valk_field fields[] = {
		{TEXT("if-modified-since"), TEXT("Sun, 06 Nov 1994 08:49:37 GMT")},
		{TEXT("if-none-match"), TEXT("\"other\"")},
	};
	const struct valk_request request = {.method = VALK_METHOD_GET, .fields = fields, .field_count = 2};
	assert_int_equal(conditional_evaluate(&request, &validators), CONDITIONAL_PROCEED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(if_none_match), cmocka_unit_test(if_match),
					   cmocka_unit_test(dates), cmocka_unit_test(precedence)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
