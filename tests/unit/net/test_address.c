/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "net/address.h"

#include "support/test.h"

static void good_addresses(void **state)
{
	(void)state;
	static const char *const cases[][2] = {
		{"127.0.0.1", "127.0.0.1:443"},
		{"::1", "[::1]:443"},
		{"[::1]", "[::1]:443"},
		{"0.0.0.0", "0.0.0.0:443"},
		{"2001:db8::7", "[2001:db8::7]:443"},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct address address;
		char text[ADDRESS_TEXT_SIZE];
		assert_true(address_parse(cases[i][0], 443, &address));
		address_format(&address, text);
		assert_string_equal(text, cases[i][1]);
		assert_int_equal(address_port(&address), 443);
		address_set_port(&address, 80);
		assert_int_equal(address_port(&address), 80);
	}
}

static void bad_addresses(void **state)
{
	(void)state;
	static const char *const bad[] = {
		"",
		"localhost",
		"example.com",
		"1.2.3.4.5",
		"[]",
		"::1]",
		"300.1.1.1",
		"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"};
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct address address;
		assert_false(address_parse(bad[i], 1, &address));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(good_addresses), cmocka_unit_test(bad_addresses)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
