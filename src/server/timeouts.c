/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "server/timeouts.h"

static struct timeout_entry *first_entry(struct timeout_class *class)
{
	return list_entry(class->queue.next, struct timeout_entry, node);
}

/* Waits for the head's deadline. Heads that were disarmed or moved meanwhile only make the timer fire early. */
static void start_timer(struct timeout_class *class)
{
	uint64_t now_ms = class->now_ms(class->context);
	uint64_t deadline_ms = first_entry(class)->deadline_ms;
	uint64_t wait_ms = deadline_ms > now_ms ? deadline_ms - now_ms : 0;
	ev_timer_set(&class->timer, (double)wait_ms / 1000.0, 0.0);
	ev_timer_start(class->loop, &class->timer);
}

static void on_timer(struct ev_loop *loop, ev_timer *timer, int events)
{
	(void)loop;
	(void)events;
	struct timeout_class *class = timer->data;
	uint64_t now_ms = class->now_ms(class->context);
	while (!list_is_empty(&class->queue) && first_entry(class)->deadline_ms <= now_ms) {
		struct timeout_entry *entry = first_entry(class);
		list_remove(&entry->node);
		class->on_expire(class->context, entry);
	}
	if (!list_is_empty(&class->queue) && !ev_is_active(&class->timer))
		start_timer(class);
}

void timeout_class_init(struct timeout_class *class, struct ev_loop *loop, uint64_t length_ms,
			uint64_t (*now_ms)(void *context),
			void (*on_expire)(void *context, struct timeout_entry *entry), void *context)
{
	list_init(&class->queue);
	ev_timer_init(&class->timer, on_timer, 0.0, 0.0);
	class->timer.data = class;
	class->loop = loop;
	class->length_ms = length_ms;
	class->now_ms = now_ms;
	class->on_expire = on_expire;
	class->context = context;
}

void timeout_class_dispose(struct timeout_class *class)
{
	ev_timer_stop(class->loop, &class->timer);
}

void timeout_entry_init(struct timeout_entry *entry)
{
	list_init(&entry->node);
	entry->deadline_ms = 0;
}

void timeout_arm(struct timeout_class *class, struct timeout_entry *entry)
{
	entry->deadline_ms = class->now_ms(class->context) + class->length_ms;
	list_move_to_tail(&class->queue, &entry->node);
	if (!ev_is_active(&class->timer))
		start_timer(class);
}

void timeout_disarm(struct timeout_entry *entry)
{
	list_remove(&entry->node);
}
