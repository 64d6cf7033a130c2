/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE
#include "faults/inject.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NO_CALL = -1 };

static __thread bool thread_is_exempt;
static atomic_int countdown; /* to the failing allocation; 0: none */
static atomic_bool is_sticky;
static atomic_int chosen_call = NO_CALL;
static atomic_int call_countdown;
static atomic_int call_error;
static atomic_bool has_happened;

void inject_exempt(bool exempt)
{
	thread_is_exempt = exempt;
}

void inject_nothing(void)
{
	atomic_store(&countdown, 0);
	atomic_store(&chosen_call, NO_CALL);
}

void inject_allocation(unsigned nth, bool sticky)
{
	atomic_store(&has_happened, false);
	atomic_store(&is_sticky, sticky);
	atomic_store(&countdown, (int)nth);
}

void inject_call(enum injected_call call, unsigned nth, int error)
{
	atomic_store(&has_happened, false);
	atomic_store(&call_countdown, (int)nth);
	atomic_store(&call_error, error);
	atomic_store(&chosen_call, (int)call);
}

bool inject_happened(void)
{
	return atomic_load(&has_happened);
}

static bool allocation_fails(void)
{
	if (thread_is_exempt)
		return false;
	int left = atomic_load(&countdown);
	if (left == 0)
		return false;
	if (left > 1) {
		atomic_compare_exchange_strong(&countdown, &left, left - 1);
		return false;
	}
	if (!atomic_load(&is_sticky))
		atomic_store(&countdown, 0);
	atomic_store(&has_happened, true);
	return true;
}

static bool call_fails(enum injected_call call)
{
	int saved = errno;
	if (thread_is_exempt || atomic_load(&chosen_call) != (int)call || atomic_fetch_sub(&call_countdown, 1) != 1) {
		errno = saved;
		return false;
	}
	atomic_store(&chosen_call, NO_CALL);
	atomic_store(&has_happened, true);
	errno = atomic_load(&call_error);
	return true;
}

/* --- allocations: the linker turns malloc into __wrap_malloc in everything that is linked statically -----------------
 */

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *block, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *block, size_t size);

void *__wrap_malloc(size_t size)
{
	return allocation_fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
	return allocation_fails() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *block, size_t size)
{
	return allocation_fails() ? NULL : __real_realloc(block, size);
}

/* --- system calls: the program's own definitions come before libc's, for libev too ----------------------------------
 */

#define NEXT(type, name) ((type)dlsym(RTLD_NEXT, name))

int accept4(int fd, struct sockaddr *address, socklen_t *length, int flags)
{
	typedef int (*function)(int, struct sockaddr *, socklen_t *, int);
	return call_fails(CALL_ACCEPT) ? -1 : NEXT(function, "accept4")(fd, address, length, flags);
}

ssize_t recv(int fd, void *bytes, size_t length, int flags)
{
	typedef ssize_t (*function)(int, void *, size_t, int);
	return call_fails(CALL_RECV) ? -1 : NEXT(function, "recv")(fd, bytes, length, flags);
}

ssize_t send(int fd, const void *bytes, size_t length, int flags)
{
	typedef ssize_t (*function)(int, const void *, size_t, int);
	return call_fails(CALL_SEND) ? -1 : NEXT(function, "send")(fd, bytes, length, flags);
}

int epoll_ctl(int epoll, int operation, int fd, struct epoll_event *event)
{
	typedef int (*function)(int, int, int, struct epoll_event *);
	return call_fails(CALL_EPOLL_CTL) ? -1 : NEXT(function, "epoll_ctl")(epoll, operation, fd, event);
}

int epoll_wait(int epoll, struct epoll_event *events, int most, int timeout)
{
	typedef int (*function)(int, struct epoll_event *, int, int);
	return call_fails(CALL_EPOLL_WAIT) ? -1 : NEXT(function, "epoll_wait")(epoll, events, most, timeout);
}

int fstat(int fd, struct stat *status)
{
	typedef int (*function)(int, struct stat *);
	return call_fails(CALL_FSTAT) ? -1 : NEXT(function, "fstat")(fd, status);
}

ssize_t read(int fd, void *bytes, size_t length)
{
	typedef ssize_t (*function)(int, void *, size_t);
	return call_fails(CALL_READ) ? -1 : NEXT(function, "read")(fd, bytes, length);
}

int close(int fd)
{
	typedef int (*function)(int);
	int result = NEXT(function, "close")(fd);
	return call_fails(CALL_CLOSE) ? -1 : result;
}

ssize_t write(int fd, const void *bytes, size_t length)
{
	typedef ssize_t (*function)(int, const void *, size_t);
	return call_fails(CALL_WRITE) ? -1 : NEXT(function, "write")(fd, bytes, length);
}

int socket(int family, int type, int protocol)
{
	typedef int (*function)(int, int, int);
	return call_fails(CALL_SOCKET) ? -1 : NEXT(function, "socket")(family, type, protocol);
}

int setsockopt(int fd, int level, int option, const void *value, socklen_t length)
{
	typedef int (*function)(int, int, int, const void *, socklen_t);
	return call_fails(CALL_SETSOCKOPT) ? -1 : NEXT(function, "setsockopt")(fd, level, option, value, length);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *argument)
{
	typedef int (*function)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
	return call_fails(CALL_THREAD) ? errno : NEXT(function, "pthread_create")(thread, attributes, run, argument);
}
