/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/buffer.h"

#include "support/test.h"

static void append_and_consume(void **state)
{
	(void)state;
	uint8_t storage[8];
	struct buffer buffer;
	buffer_init(&buffer, storage, sizeof(storage));
	assert_true(buffer_append(&buffer, "abcde", 5));
	assert_false(buffer_append(&buffer, "fghi", 4));
	assert_int_equal(buffer_length(&buffer), 5);
	buffer_consume(&buffer, 2);
	assert_memory_equal(buffer_head(&buffer), "cde", 3);
	assert_true(buffer_append(&buffer, "fgh", 3));
	assert_int_equal(buffer_room(&buffer), 0);
	buffer_consume(&buffer, 6);
	assert_int_equal(buffer_room(&buffer), 8); /* an emptied buffer starts over */
}

static void commit(void **state)
{
	(void)state;
	uint8_t storage[4];
	struct buffer buffer;
	buffer_init(&buffer, storage, sizeof(storage));
	memcpy(buffer_tail(&buffer), "xyz", 3);
	buffer_commit(&buffer, 3);
	assert_int_equal(buffer_length(&buffer), 3);
	assert_memory_equal(buffer_head(&buffer), "xyz", 3);
	assert_true(buffer_append(&buffer, NULL, 0));
	buffer_clear(&buffer);
	assert_int_equal(buffer_length(&buffer), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(append_and_consume), cmocka_unit_test(commit)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
