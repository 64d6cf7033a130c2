/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SUPPORT_CLOCK_H
#define SUPPORT_CLOCK_H

#include "base/clock.h"

/* The monotonic clock in ms, signed, for deadlines that may have passed. Any thread. */
static inline int64_t now_ms(void)
{
	return (int64_t)clock_monotonic_ms();
}

#endif
