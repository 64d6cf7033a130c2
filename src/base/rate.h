/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Token bucket: how often something may happen at once, and a second. One thread. */
#ifndef BASE_RATE_H
#define BASE_RATE_H

#include <stdbool.h>
#include <stdint.h>

/* Zero-initialise: a full bucket. Holds the debt rather than the tokens, so that it needs no limit at creation. */
struct rate_bucket {
	uint64_t updated_ms;
	uint64_t debt; /* thousandths of an event */
};

/* Counts one event at `now_ms` (monotonic). False when more than `burst` events have come than `per_second` pays off.
 */
static inline bool rate_take(struct rate_bucket *bucket, uint32_t burst, uint32_t per_second, uint64_t now_ms)
{
	uint64_t paid = (now_ms - bucket->updated_ms) * per_second;
	bucket->debt = bucket->debt > paid ? bucket->debt - paid : 0;
	bucket->updated_ms = now_ms;
	bucket->debt += 1000;
	return bucket->debt <= (uint64_t)burst * 1000;
}

/* Events not yet paid off, rounded up. */
static inline uint64_t rate_debt(const struct rate_bucket *bucket)
{
	return (bucket->debt + 999) / 1000;
}

#endif
