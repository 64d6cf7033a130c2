/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "server/timeouts.h"

#include "support/test.h"

/* A class whose clock the test moves. */
static uint64_t now_ms;
static struct timeout_entry *expired[8];
static size_t expired_count;
static struct timeout_class *rearm_into;

static uint64_t read_now(void *context)
{
	(void)context;
	return now_ms;
}

static void on_expire(void *context, struct timeout_entry *entry)
{
	(void)context;
	expired[expired_count++] = entry;
	if (rearm_into != NULL)
		timeout_arm(rearm_into, entry);
}

/* Runs the loop until its timer fired: the timer is real, the deadlines are not. */
static void let_timer_fire(struct ev_loop *loop, struct timeout_class *class)
{
	ev_timer_stop(loop, &class->timer);
	ev_feed_event(loop, &class->timer, EV_TIMER);
	ev_run(loop, EVRUN_NOWAIT);
}

static void entries_expire_in_order(void **state)
{
	(void)state;
	struct ev_loop *loop = ev_loop_new(EVFLAG_AUTO);
	struct timeout_class class;
	struct timeout_entry entries[3];
	now_ms = 0;
	expired_count = 0;
	rearm_into = NULL;
	timeout_class_init(&class, loop, 1000, read_now, on_expire, NULL);
	for (int i = 0; i < 3; i++) {
		timeout_entry_init(&entries[i]);
		timeout_arm(&class, &entries[i]);
		now_ms += 100;
	}
	timeout_arm(&class, &entries[0]); /* activity: to the tail, deadline 1300 */
	now_ms = 1150;
	let_timer_fire(loop, &class);
	assert_int_equal(expired_count, 1);
	assert_ptr_equal(expired[0], &entries[1]);
	timeout_disarm(&entries[2]);
	now_ms = 1300;
	let_timer_fire(loop, &class);
	assert_int_equal(expired_count, 2);
	assert_ptr_equal(expired[1], &entries[0]);
	timeout_disarm(&entries[0]); /* harmless when it is in no class */
	timeout_class_dispose(&class);
	ev_loop_destroy(loop);
}

static void an_entry_may_be_armed_again_when_it_expires(void **state)
{
	(void)state;
	struct ev_loop *loop = ev_loop_new(EVFLAG_AUTO);
	struct timeout_class class;
	struct timeout_entry entry;
	now_ms = 0;
	expired_count = 0;
	timeout_class_init(&class, loop, 1000, read_now, on_expire, NULL);
	rearm_into = &class;
	timeout_entry_init(&entry);
	timeout_arm(&class, &entry);
	for (int i = 1; i <= 3; i++) {
		now_ms = (uint64_t)i * 1000;
		let_timer_fire(loop, &class);
		assert_int_equal(expired_count, i); /* once a turn: no endless loop */
		assert_true(ev_is_active(&class.timer));
	}
	timeout_class_dispose(&class);
	ev_loop_destroy(loop);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(entries_expire_in_order),
					   cmocka_unit_test(an_entry_may_be_armed_again_when_it_expires)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
