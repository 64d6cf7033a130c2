/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "http/field.h"

#include "http/refusal.h"
#include "http/text.h"
#include "support/test.h"

static void names(void **state)
{
	(void)state;
	assert_true(field_name_is_valid(TEXT("x-a_b.c")));
	assert_true(field_name_is_valid(TEXT("X")));
	assert_false(field_name_is_valid(TEXT("")));
	assert_false(field_name_is_valid(TEXT("a b")));
	assert_false(field_name_is_valid(TEXT("a:")));
	assert_false(field_name_is_valid(TEXT("a\0b")));
	assert_false(field_name_is_valid(TEXT("\xc3\xa4")));
}

static void values(void **state)
{
	(void)state;
	assert_true(field_value_is_valid(TEXT("")));
	assert_true(field_value_is_valid(TEXT("a, b\tc")));
	assert_true(field_value_is_valid(TEXT("gr\xc3\xbc\xc3\x9f")));
	assert_false(field_value_is_valid(TEXT(" a")));
	assert_false(field_value_is_valid(TEXT("a ")));
	assert_false(field_value_is_valid(TEXT("a\r\nb: c")));
	assert_false(field_value_is_valid(TEXT("a\0b")));
	assert_false(field_value_is_valid(TEXT("a\x7f")));
}

static void reserved(void **state)
{
	(void)state;
	assert_true(field_is_reserved(TEXT("Content-Length")));
	assert_true(field_is_reserved(TEXT("transfer-encoding")));
	assert_true(field_is_reserved(TEXT("date")));
	assert_false(field_is_reserved(TEXT("cache-control")));
}

static void every_refusal_has_a_name(void **state)
{
	(void)state;
	for (int i = 0; i < REFUSAL_COUNT; i++)
		assert_non_null(refusal_name((enum refusal)i));
	assert_null(refusal_name(REFUSAL_COUNT));
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(names), cmocka_unit_test(values),
					   cmocka_unit_test(reserved), cmocka_unit_test(every_refusal_has_a_name)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
