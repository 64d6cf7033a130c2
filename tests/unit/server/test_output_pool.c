/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "server/output_pool.h"

#include "support/test.h"

static void buffers_are_reused_and_bounded(void **state)
{
	(void)state;
	struct slab *slab = slab_create();
	struct output_pool pool;
	struct buffer buffers[OUTPUT_SPARES_MAX + 4];
	output_pool_init(&pool, slab);
	for (size_t i = 0; i < OUTPUT_SPARES_MAX + 4; i++) {
		assert_true(output_pool_take(&pool, &buffers[i]));
		assert_int_equal(buffer_room(&buffers[i]), OUTPUT_CAPACITY);
	}
	uint8_t *first = buffers[0].data;
	output_pool_return(&pool, &buffers[0]);
	assert_null(buffers[0].data);
	output_pool_return(&pool, &buffers[0]); /* harmless: it would otherwise count a NULL as a spare */
	assert_true(output_pool_take(&pool, &buffers[0]));
	assert_ptr_equal(buffers[0].data, first);
	for (size_t i = 0; i < OUTPUT_SPARES_MAX + 4; i++)
		output_pool_return(&pool, &buffers[i]);
	assert_int_equal(pool.spare_count, OUTPUT_SPARES_MAX);
	output_pool_dispose(&pool);
	assert_int_equal(pool.spare_count, 0);
	slab_destroy(slab);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(buffers_are_reused_and_bounded)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
