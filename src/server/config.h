/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SERVER_CONFIG_H
#define SERVER_CONFIG_H

#include "net/address.h"
#include "tls/tls_credentials.h"
#include "tls/tls_ticket.h"
#include "valkyrie/server.h"

/* Checks what needs neither file nor socket. VALK_ERROR_USAGE with a diagnostic. Any thread. */
enum valk_error config_check_values(const struct valk_config *config, struct valk_diagnostic *diagnostic)
	__attribute__((warn_unused_result));

/* Turns the configured hosts, or all addresses, into socket addresses. VALK_ERROR_USAGE with a diagnostic. */
enum valk_error config_parse_hosts(const struct valk_config *config, struct address addresses[VALK_HOSTS_MAX],
				   size_t *count, struct valk_diagnostic *diagnostic)
	__attribute__((warn_unused_result));

/* Loads certificate and key, makes ticket keys and runs the TLS self-test. On success the caller owns both. Errors as
 * tls_credentials_load and tls_self_test. Main thread. */
enum valk_error config_load_tls(const struct valk_config *config, struct tls_credentials **credentials,
				struct tls_ticket_keys **tickets, struct valk_diagnostic *diagnostic)
	__attribute__((warn_unused_result));

#endif
