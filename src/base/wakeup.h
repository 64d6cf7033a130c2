/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An eventfd that one thread waits on and any thread raises. */
#ifndef BASE_WAKEUP_H
#define BASE_WAKEUP_H

#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

/* A new descriptor, non-blocking and close-on-exec; -1 with errno. The caller closes it. */
static inline int wakeup_open(void)
{
	return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
}

/* Makes `descriptor` readable. It can hardly fail; as a lost wake-up would leave a thread waiting for ever, it is tried
 * again. Any thread. */
static inline void wakeup_raise(int descriptor)
{
	const uint64_t one = 1;
	for (int tries = 0; tries < 10 && write(descriptor, &one, sizeof(one)) != (ssize_t)sizeof(one); tries++)
		;
}

/* Makes it unreadable again. */
static inline void wakeup_clear(int descriptor)
{
	uint64_t count;
	ssize_t length = read(descriptor, &count, sizeof(count));
	(void)length; /* nothing to read is as good */
}

#endif
