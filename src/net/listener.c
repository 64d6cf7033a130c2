/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE
#include "net/listener.h"

#include <errno.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "net/port_holder.h"

enum {
	BACKLOG = 4096, /* the kernel caps it at net.core.somaxconn */
};

static enum valk_error explain_bind(const struct address *address, int reason, struct valk_diagnostic *diagnostic)
{
	char where[ADDRESS_TEXT_SIZE];
	char holder[128];
	address_format(address, where);
	unsigned port = address_port(address);
	switch (reason) {
	case EACCES:
		return diagnose(diagnostic, VALK_ERROR_SYSTEM,
				"cannot listen on %s: permission denied; give the binary CAP_NET_BIND_SERVICE (setcap) "
				"or use a "
				"port above 1023",
				where);
	case EADDRINUSE:
		if (port_holder_find(address_port(address), holder, sizeof(holder)))
			return diagnose(diagnostic, VALK_ERROR_SYSTEM,
					"cannot listen on %s: port %u is held by %s; stop it or choose another --port",
					where, port, holder);
		return diagnose(diagnostic, VALK_ERROR_SYSTEM,
				"cannot listen on %s: port %u is in use; stop its holder or choose another --port",
				where, port);
	case EADDRNOTAVAIL:
		return diagnose(
			diagnostic, VALK_ERROR_SYSTEM,
			"cannot listen on %s: no interface has this address; give --host one that `ip address` lists",
			where);
	default:
		return diagnose(diagnostic, VALK_ERROR_SYSTEM, "cannot listen on %s: %s; check --host and --port",
				where, strerror(reason));
	}
}

static int set_flag(int descriptor, int level, int option)
{
	const int on = 1;
	return setsockopt(descriptor, level, option, &on, sizeof(on));
}

/* A bound socket, or a negated errno. */
static int open_bound(const struct address *address, bool share_port)
{
	int descriptor = socket(address->socket.any.sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (descriptor < 0)
		return -errno;
	if (set_flag(descriptor, SOL_SOCKET, SO_REUSEADDR) != 0 ||
	    (share_port && set_flag(descriptor, SOL_SOCKET, SO_REUSEPORT) != 0) ||
	    set_flag(descriptor, IPPROTO_TCP, TCP_NODELAY) != 0 ||
	    (address->socket.any.sa_family == AF_INET6 && set_flag(descriptor, IPPROTO_IPV6, IPV6_V6ONLY) != 0) ||
	    bind(descriptor, &address->socket.any, address->length) != 0) {
		int reason = errno;
		close(descriptor);
		return -reason;
	}
	return descriptor;
}

enum valk_error listener_probe(struct address *address, struct valk_diagnostic *diagnostic)
{
	int descriptor = open_bound(address, false);
	if (descriptor < 0)
		return explain_bind(address, -descriptor, diagnostic);
	int reason = 0;
	struct address bound = *address;
	if (listen(descriptor, 1) != 0 || getsockname(descriptor, &bound.socket.any, &bound.length) != 0)
		reason = errno;
	close(descriptor);
	if (reason != 0)
		return explain_bind(address, reason, diagnostic);
	address_set_port(address, address_port(&bound));
	return VALK_OK;
}

enum valk_error listener_open(const struct address *address, size_t count, int descriptors[],
			      struct valk_diagnostic *diagnostic)
{
	for (size_t i = 0; i < count; i++) {
		descriptors[i] = open_bound(address, true);
		int reason = descriptors[i] < 0 ? -descriptors[i] : 0;
		if (reason == 0 && listen(descriptors[i], BACKLOG) != 0) {
			reason = errno;
			close(descriptors[i]);
		}
		if (reason != 0) {
			while (i-- > 0)
				close(descriptors[i]);
			return explain_bind(address, reason, diagnostic);
		}
	}
	return VALK_OK;
}

int listener_accept(int listener, struct address *peer)
{
	peer->length = sizeof(peer->socket);
	int descriptor = accept4(listener, &peer->socket.any, &peer->length, SOCK_NONBLOCK | SOCK_CLOEXEC);
	return descriptor >= 0 ? descriptor : -errno;
}
