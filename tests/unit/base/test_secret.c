/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE
#include "base/secret.h"

#include "support/memory_map.h"
#include "support/test.h"

static void a_secret_is_moved_to_pages_that_are_not_dumped(void **state)
{
	(void)state;
	uint8_t *block = malloc(7);
	memcpy(block, "hunter2", 7);
	uint8_t *secret = secret_take(&block, 7);
	assert_null(block);
	assert_string_equal((char *)secret, "hunter2");
	assert_false(memory_is_dumped(secret));
	assert_true(memory_is_dumped(&secret)); /* an ordinary page, the stack's */
	secret_free(secret, 7);
	secret_free(NULL, 7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(a_secret_is_moved_to_pages_that_are_not_dumped)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
