/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Timeouts of many owners with few lengths. All entries of a class wait equally long, so a class is a queue in order of
 * deadline with one timer for its head: arming, moving and removing are O(1) and never touch the event loop. */
#ifndef SERVER_TIMEOUTS_H
#define SERVER_TIMEOUTS_H

#include <ev.h>
#include <stdint.h>

#include "base/list.h"

/* Lives inside its owner. In at most one class at a time. */
struct timeout_entry {
	struct list node;
	uint64_t deadline_ms; /* monotonic */
};

struct timeout_class {
	struct list queue;
	ev_timer timer;
	struct ev_loop *loop;
	uint64_t length_ms;
	uint64_t (*now_ms)(void *context);
	/* The entry is out of the class when this is called; its owner may arm it again or be destroyed. */
	void (*on_expire)(void *context, struct timeout_entry *entry);
	void *context;
};

/* Prepares a class on `loop`. `now_ms` gives the current monotonic time. */
void timeout_class_init(struct timeout_class *class, struct ev_loop *loop, uint64_t length_ms,
			uint64_t (*now_ms)(void *context),
			void (*on_expire)(void *context, struct timeout_entry *entry), void *context);

/* Stops the timer. Entries left in the queue are the owners'. */
void timeout_class_dispose(struct timeout_class *class);

/* Makes `entry` belong to no class. */
void timeout_entry_init(struct timeout_entry *entry);

/* Moves `entry`, from whichever class it is in, to the tail of this one with a full length to wait. */
void timeout_arm(struct timeout_class *class, struct timeout_entry *entry);

/* Takes `entry` out of its class; harmless when it is in none. */
void timeout_disarm(struct timeout_entry *entry);

#endif
