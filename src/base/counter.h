/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A count that one thread writes and any thread reads. Adding is a plain add: no lock, no locked instruction. */
#ifndef BASE_COUNTER_H
#define BASE_COUNTER_H

#include <stdatomic.h>
#include <stdint.h>

struct counter {
	_Atomic uint64_t value;
};

/* Adds `amount`. The owning thread only. */
static inline void counter_add(struct counter *counter, uint64_t amount)
{
	uint64_t value = atomic_load_explicit(&counter->value, memory_order_relaxed);
	atomic_store_explicit(&counter->value, value + amount, memory_order_relaxed);
}

/* The value of some recent moment. Any thread. */
static inline uint64_t counter_read(const struct counter *counter)
{
	return atomic_load_explicit(&counter->value, memory_order_relaxed);
}

#endif
