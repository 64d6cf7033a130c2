/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Listening sockets. */
#ifndef NET_LISTENER_H
#define NET_LISTENER_H

#include <stddef.h>

#include "base/error.h"
#include "net/address.h"

/* Checks that `address` can be bound and that nobody listens there yet, which SO_REUSEPORT alone would not notice: two
 * servers of one user would silently share the port. With port 0 a free port is chosen and written into `address`.
 * VALK_ERROR_SYSTEM with a diagnostic that names the address, the reason, the holder where it can be seen, and the fix.
 */
enum valk_error listener_probe(struct address *address, struct valk_diagnostic *diagnostic)
	__attribute__((warn_unused_result));

/* Opens `count` non-blocking listening sockets on `address`, one a worker, all with SO_REUSEPORT so that the kernel
 * spreads connections over them. Accepted sockets inherit TCP_NODELAY. On failure none stays open; the caller closes
 * them otherwise. VALK_ERROR_SYSTEM with a diagnostic. */
enum valk_error listener_open(const struct address *address, size_t count, int descriptors[],
			      struct valk_diagnostic *diagnostic) __attribute__((warn_unused_result));

/* Accepts one connection as a non-blocking, close-on-exec socket. Returns its descriptor or a negated errno. */
int listener_accept(int listener, struct address *peer);

#endif
