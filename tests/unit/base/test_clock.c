/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/clock.h"

#include "support/test.h"

static void known_dates(void **state)
{
	(void)state;
	char text[HTTP_DATE_LENGTH + 1];
	http_date_format(784111777, text); /* the example of RFC 9110 section 5.6.7 */
	assert_string_equal(text, "Sun, 06 Nov 1994 08:49:37 GMT");
	http_date_format(0, text);
	assert_string_equal(text, "Thu, 01 Jan 1970 00:00:00 GMT");
	http_date_format(951782400, text);
	assert_string_equal(text, "Tue, 29 Feb 2000 00:00:00 GMT");
}

static void round_trip(void **state)
{
	(void)state;
	char text[HTTP_DATE_LENGTH + 1];
	for (time_t seconds = 0; seconds < 4000000000; seconds += 86400 * 17 + 3661) {
		http_date_format(seconds, text);
		assert_int_equal(http_date_parse(text, HTTP_DATE_LENGTH), seconds);
	}
}

static void bad_dates(void **state)
{
	(void)state;
	static const char *const bad[] = {"",
					  "yesterday",
					  "Sun, 06 Nov 1994 08:49:37 CET",
					  "Sun, 06 Xyz 1994 08:49:37 GMT",
					  "Sunday, 06-Nov-94 08:49:37 GMT",
					  "Sun, 06 ovD 1994 08:49:37 GMT"};
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(http_date_parse(bad[i], strlen(bad[i])), -1);
	assert_int_equal(http_date_parse("Sun, 06 Nov 1994 08:49:37 G\0T", 29), -1);
}

static void monotonic_moves_forward(void **state)
{
	(void)state;
	uint64_t before = clock_monotonic_ms();
	assert_true(clock_monotonic_ms() >= before);
	assert_true(before > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(known_dates), cmocka_unit_test(round_trip),
					   cmocka_unit_test(bad_dates), cmocka_unit_test(monotonic_moves_forward)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
