/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE
#include "net/cpu.h"

#include <sched.h>

#include "support/test.h"

static void quotas(void **state)
{
	(void)state;
	assert_int_equal(cpu_quota_to_count(-1, 100000), CPU_LIMIT);
	assert_int_equal(cpu_quota_to_count(50000, 100000), 1);
	assert_int_equal(cpu_quota_to_count(100000, 100000), 1);
	assert_int_equal(cpu_quota_to_count(150000, 100000), 2);
	assert_int_equal(cpu_quota_to_count(800000, 100000), 8);
}

static void the_affinity_mask_is_respected(void **state)
{
	(void)state;
	cpu_set_t before, one;
	struct cpu_plan plan;
	assert_int_equal(sched_getaffinity(0, sizeof(before), &before), 0);
	cpu_plan_detect(&plan);
	assert_int_equal(plan.cpu_count, CPU_COUNT(&before));
	assert_true(plan.worker_count >= 1 && plan.worker_count <= plan.cpu_count);
	unsigned last = plan.cpus[plan.cpu_count - 1];
	CPU_ZERO(&one);
	CPU_SET(last, &one);
	assert_int_equal(sched_setaffinity(0, sizeof(one), &one), 0);
	cpu_plan_detect(&plan);
	assert_int_equal(plan.cpu_count, 1);
	assert_int_equal(plan.worker_count, 1);
	assert_int_equal(plan.cpus[0], last);
	assert_int_equal(sched_setaffinity(0, sizeof(before), &before), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(quotas), cmocka_unit_test(the_affinity_mask_is_respected)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
