/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/slab.h"

#include "support/test.h"

/* Sizes around every class boundary, and large ones. */
static void every_size_is_usable_and_aligned(void **state)
{
	(void)state;
	struct slab *slab = slab_create();
	for (size_t size = 0; size < 70000; size += size < 2100 ? 1 : 997) {
		unsigned char *block = slab_allocate(slab, size);
		assert_non_null(block);
		assert_int_equal((uintptr_t)block % 16, 0);
		memset(block, 0xab, size);
		slab_free(slab, block);
	}
	slab_free(slab, NULL);
	slab_destroy(slab);
}

/* Random allocations, resizes and frees against a model that knows every block's content. */
static void blocks_never_overlap(void **state)
{
	(void)state;
	enum { SLOTS = 500, STEPS = 200000 };
	static struct {
		unsigned char *block;
		size_t size;
		unsigned char fill;
	} slots[SLOTS];
	struct slab *slab = slab_create();
	unsigned random = 1;
	for (int step = 0; step < STEPS; step++) {
		random = random * 1103515245 + 12345;
		size_t at = (random >> 8) % SLOTS;
		for (size_t i = 0; i < slots[at].size; i += 37)
			assert_int_equal(slots[at].block[i], slots[at].fill);
		size_t size = (random >> 4) % ((random & 15) == 0 ? 40000 : 600);
		if ((random & 3) == 0) {
			slab_free(slab, slots[at].block);
			slots[at].block = NULL;
			slots[at].size = 0;
			continue;
		}
		size_t kept = slots[at].size < size ? slots[at].size : size;
		slots[at].block = slab_resize(slab, slots[at].block, size);
		assert_non_null(slots[at].block);
		for (size_t i = 0; i < kept; i += 37)
			assert_int_equal(slots[at].block[i], slots[at].fill);
		slots[at].size = size;
		slots[at].fill = (unsigned char)step;
		memset(slots[at].block, slots[at].fill, size);
	}
	for (size_t i = 0; i < SLOTS; i++)
		slab_free(slab, slots[i].block);
	slab_destroy(slab);
}

/* After a flood is over its memory goes back, but for the spare chunks. */
static void memory_is_given_back(void **state)
{
	(void)state;
	enum { COUNT = 20000 };
	static void *blocks[COUNT];
	struct slab *slab = slab_create();
	for (int i = 0; i < COUNT; i++)
		blocks[i] = slab_allocate(slab, 3000);
	size_t peak = slab_footprint(slab);
	for (int i = 0; i < COUNT; i++)
		slab_free(slab, blocks[i]);
	assert_true(slab_footprint(slab) <= 2u << 20);
	assert_true(peak == 0 || peak >= (size_t)COUNT * 3000); /* 0: the sanitizer build has no chunks */
	slab_destroy(slab);
}

static void impossible_sizes_fail(void **state)
{
	(void)state;
	struct slab *slab = slab_create();
	volatile size_t huge = SIZE_MAX / 2; /* volatile: the compiler would warn of what is meant here */
	if (slab_footprint(slab) == 0 && getenv("BUILD") != NULL && strstr(getenv("BUILD"), "sanitize") != NULL) {
		slab_destroy(slab); /* the sanitizers' malloc reports such sizes as errors */
		skip();
	}
	assert_null(slab_allocate(slab, huge + 1));
	assert_null(slab_allocate_zeroed(slab, huge, 16));
	void *block = slab_allocate(slab, 100);
	assert_null(slab_resize(slab, block, huge + 1));
	slab_free(slab, block);
	slab_destroy(slab);
}

static void zeroed_blocks_are_zero(void **state)
{
	(void)state;
	struct slab *slab = slab_create();
	void *dirty = slab_allocate(slab, 200);
	memset(dirty, 0xff, 200);
	slab_free(slab, dirty);
	const unsigned char *clean = slab_allocate_zeroed(slab, 20, 10);
	for (int i = 0; i < 200; i++)
		assert_int_equal(clean[i], 0);
	slab_free(slab, (void *)(uintptr_t)clean);
	slab_destroy(slab);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_size_is_usable_and_aligned), cmocka_unit_test(blocks_never_overlap),
		cmocka_unit_test(memory_is_given_back), cmocka_unit_test(impossible_sizes_fail),
		cmocka_unit_test(zeroed_blocks_are_zero)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
