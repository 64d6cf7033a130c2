/* SPDX-License-Identifier: GPL-3.0-or-later */
/* System calls that fail. The program's own definitions come before libc's, for libev too. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "faults/inject.h"
#include "faults/inject_state.h"

enum { NO_CALL = -1 };

static atomic_int chosen_call = NO_CALL;
static atomic_int call_countdown;
static atomic_int call_error;

void inject_call(enum injected_call call, unsigned nth, int error)
{
	inject_set_happened(false);
	atomic_store(&call_countdown, (int)nth);
	atomic_store(&call_error, error);
	atomic_store(&chosen_call, (int)call);
}

void inject_nothing(void)
{
	inject_allocation(0, false);
	atomic_store(&chosen_call, NO_CALL);
}

static bool call_fails(enum injected_call call)
{
	int saved = errno;
	if (inject_is_exempt() || atomic_load(&chosen_call) != (int)call || atomic_fetch_sub(&call_countdown, 1) != 1) {
		errno = saved;
		return false;
	}
	atomic_store(&chosen_call, NO_CALL);
	inject_set_happened(true);
	errno = atomic_load(&call_error);
	return true;
}

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
