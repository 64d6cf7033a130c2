/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/list.h"

#include "support/test.h"

struct item {
	int number;
	struct list node;
};

static void order_and_removal(void **state)
{
	(void)state;
	struct list head;
	struct item items[3] = {{.number = 0}, {.number = 1}, {.number = 2}};
	list_init(&head);
	assert_true(list_is_empty(&head));
	for (int i = 0; i < 3; i++) {
		list_init(&items[i].node);
		list_append(&head, &items[i].node);
	}
	list_move_to_tail(&head, &items[0].node);
	list_remove(&items[1].node);
	list_remove(&items[1].node); /* harmless */
	assert_true(list_is_empty(&items[1].node));
	assert_int_equal(list_entry(head.next, struct item, node)->number, 2);
	assert_int_equal(list_entry(head.next->next, struct item, node)->number, 0);
	assert_ptr_equal(head.next->next->next, &head);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(order_and_removal)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
