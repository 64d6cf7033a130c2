/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/parse.h"

#include "support/test.h"

static void numbers(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		bool good;
		uint64_t value;
	} cases[] = {
		{"0", true, 0},
		{"1", true, 1},
		{"100", true, 100},
		{"101", false, 0},
		{"", false, 0},
		{"-1", false, 0},
		{"+1", false, 0},
		{" 1", false, 0},
		{"1 ", false, 0},
		{"0x1", false, 0},
		{"1e2", false, 0},
		{"007", true, 7},
		{"9999999999999999999999", false, 0},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint64_t value = 4711;
		assert_int_equal(parse_number(cases[i].text, 100, &value), cases[i].good);
		if (cases[i].good)
			assert_int_equal(value, cases[i].value);
	}
	uint64_t value;
	assert_true(parse_number("18446744073709551615", UINT64_MAX, &value));
	assert_true(value == UINT64_MAX);
	assert_false(parse_number("18446744073709551616", UINT64_MAX, &value));
	assert_true(parse_number_bytes("123456", 3, 1000, &value));
	assert_int_equal(value, 123);
}

static void sizes(void **state)
{
	(void)state;
	uint64_t bytes;
	assert_true(parse_size("5", &bytes) && bytes == 5);
	assert_true(parse_size("3K", &bytes) && bytes == 3072);
	assert_true(parse_size("2m", &bytes) && bytes == 2u << 20);
	assert_true(parse_size("4G", &bytes) && bytes == 4ull << 30);
	assert_false(parse_size("4T", &bytes));
	assert_false(parse_size("K", &bytes));
	assert_false(parse_size("1KB", &bytes));
	assert_false(parse_size("99999999999999999G", &bytes));
}

static void durations(void **state)
{
	(void)state;
	uint64_t ms;
	assert_true(parse_duration("2", &ms) && ms == 2000);
	assert_true(parse_duration("250ms", &ms) && ms == 250);
	assert_true(parse_duration("3s", &ms) && ms == 3000);
	assert_true(parse_duration("1m", &ms) && ms == 60000);
	assert_true(parse_duration("1h", &ms) && ms == 3600000);
	assert_false(parse_duration("1d", &ms));
	assert_false(parse_duration("", &ms));
	assert_false(parse_duration("1.5s", &ms));
}

static void formatting(void **state)
{
	(void)state;
	char text[21] = "";
	assert_int_equal(format_number(0, text), 1);
	assert_memory_equal(text, "0", 1);
	assert_int_equal(format_number(UINT64_MAX, text), 20);
	assert_memory_equal(text, "18446744073709551615", 20);
	assert_int_equal(format_number(1048576, text), 7);
	assert_memory_equal(text, "1048576", 7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(numbers), cmocka_unit_test(sizes),
					   cmocka_unit_test(durations), cmocka_unit_test(formatting)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
