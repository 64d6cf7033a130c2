/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/rate.h"

#include "support/test.h"

enum { BURST = 5, PER_SECOND = 10 };

static unsigned take_until_refused(struct rate_bucket *bucket, uint64_t now_ms)
{
	unsigned taken = 0;
	while (taken < 1000 && rate_take(bucket, BURST, PER_SECOND, now_ms))
		taken++;
	return taken;
}

static void a_burst_is_allowed_at_once(void **state)
{
	(void)state;
	struct rate_bucket bucket = {0};
	assert_int_equal(take_until_refused(&bucket, 123456), BURST);
	assert_int_equal(rate_debt(&bucket), BURST + 1);
}

static void then_a_rate(void **state)
{
	(void)state;
	struct rate_bucket bucket = {0};
	for (uint64_t now_ms = 1000; now_ms < 100000; now_ms += 100)
		assert_true(rate_take(&bucket, BURST, PER_SECOND, now_ms));
	assert_int_equal(rate_debt(&bucket), 1);
	assert_int_equal(take_until_refused(&bucket, 100000), BURST);
}

/* What was refused counts too: who goes on stays refused. */
static void a_long_rest_forgives_everything(void **state)
{
	(void)state;
	struct rate_bucket bucket = {0};
	take_until_refused(&bucket, 1000);
	assert_false(rate_take(&bucket, BURST, PER_SECOND, 1000));
	assert_false(rate_take(&bucket, BURST, PER_SECOND, 1100));
	assert_int_equal(take_until_refused(&bucket, 60000), BURST);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_burst_is_allowed_at_once),
		cmocka_unit_test(then_a_rate),
		cmocka_unit_test(a_long_rest_forgives_everything),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
