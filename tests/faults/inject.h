/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes a chosen allocation or system call of the server fail, in the process of the test. Linked into the fault tests
 * only: it replaces malloc (by the linker's --wrap) and some functions of libc for everything in the program. */
#ifndef FAULTS_INJECT_H
#define FAULTS_INJECT_H

#include <stdbool.h>

enum injected_call {
	CALL_ACCEPT,
	CALL_RECV,
	CALL_SEND,
	CALL_EPOLL_CTL,
	CALL_EPOLL_WAIT,
	CALL_FSTAT,
	CALL_READ,
	CALL_CLOSE,
	CALL_WRITE,
	CALL_SOCKET,
	CALL_SETSOCKOPT,
	CALL_THREAD, /* pthread_create: clone */
	CALL_COUNT,
};

/* Threads start out as the server's, whose calls count and fail; the test's own are exempt. */
void inject_exempt(bool exempt);

/* The `nth` allocation from now (1 is the next, 0 none) fails, and with `sticky` all after it. */
void inject_allocation(unsigned nth, bool sticky);

/* The `nth` call from now fails with `error`. A close still closes. */
void inject_call(enum injected_call call, unsigned nth, int error);

/* Nothing fails any more. */
void inject_nothing(void);

/* True when something was made to fail since it was last chosen. */
bool inject_happened(void);

#endif
