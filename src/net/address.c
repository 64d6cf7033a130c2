/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE
#include "net/address.h"

#include <arpa/inet.h>
#include <net/if.h>
#include <netdb.h>
#include <stdio.h>
#include <string.h>

bool address_parse(const char *host, uint16_t port, struct address *address)
{
	char bare[INET6_ADDRSTRLEN + IF_NAMESIZE + 1];
	size_t length = strlen(host);
	if (length >= 2 && host[0] == '[' && host[length - 1] == ']') {
		host++;
		length -= 2;
	}
	if (length == 0 || length >= sizeof(bare))
		return false;
	memcpy(bare, host, length);
	bare[length] = '\0';

	struct addrinfo hints = {.ai_flags = AI_NUMERICHOST, .ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM};
	struct addrinfo *found;
	if (getaddrinfo(bare, NULL, &hints, &found) != 0)
		return false;
	memset(address, 0, sizeof(*address));
	memcpy(&address->socket, found->ai_addr, found->ai_addrlen);
	address->length = found->ai_addrlen;
	freeaddrinfo(found);
	address_set_port(address, port);
	return true;
}

void address_format(const struct address *address, char text[ADDRESS_TEXT_SIZE])
{
	char host[INET6_ADDRSTRLEN + IF_NAMESIZE + 1];
	if (getnameinfo(&address->socket.any, address->length, host, sizeof(host), NULL, 0, NI_NUMERICHOST) != 0)
		snprintf(host, sizeof(host), "unknown");
	snprintf(text, ADDRESS_TEXT_SIZE, address->socket.any.sa_family == AF_INET6 ? "[%s]:%u" : "%s:%u", host,
		 (unsigned)address_port(address));
}

uint16_t address_port(const struct address *address)
{
	if (address->socket.any.sa_family == AF_INET6)
		return ntohs(address->socket.ipv6.sin6_port);
	return ntohs(address->socket.ipv4.sin_port);
}

void address_set_port(struct address *address, uint16_t port)
{
	if (address->socket.any.sa_family == AF_INET6)
		address->socket.ipv6.sin6_port = htons(port);
	else
		address->socket.ipv4.sin_port = htons(port);
}
