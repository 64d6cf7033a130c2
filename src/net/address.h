/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Socket addresses as values and as text. Any thread. */
#ifndef NET_ADDRESS_H
#define NET_ADDRESS_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

/* An IPv4 or IPv6 address with its port. */
struct address {
	union {
		struct sockaddr any;
		struct sockaddr_in ipv4;
		struct sockaddr_in6 ipv6;
	} socket;
	socklen_t length; /* bytes of the member in use */
};

enum { ADDRESS_TEXT_SIZE = 80 }; /* "[" IPv6 "%" scope "]:" port and a NUL */

/* Parses a numeric IPv4 or IPv6 address (IPv6 with or without brackets and scope). Names are not looked up: a server
 * whose start depends on a resolver may not start. False when `host` is neither. */
bool address_parse(const char *host, uint16_t port, struct address *address) __attribute__((warn_unused_result));

/* Writes "192.0.2.1:443" or "[2001:db8::1]:443". */
void address_format(const struct address *address, char text[ADDRESS_TEXT_SIZE]);

/* Port in host byte order. */
uint16_t address_port(const struct address *address);

/* Replaces the port, given in host byte order. */
void address_set_port(struct address *address, uint16_t port);

#endif
