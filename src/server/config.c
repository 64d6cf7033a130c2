/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Defaults and ranges of a server's configuration. */
#include "server/config.h"

#include <string.h>

#include "base/error.h"
#include "http/field.h"
#include "tls/tls_self_test.h"

void valk_config_init(struct valk_config *config)
{
	memset(config, 0, sizeof(*config));
	config->port = 8080;
	config->server_name = "valkyrie";
	config->log_descriptor = -1;
	config->log_level = VALK_LOG_NOTICE;
	valk_limits_init(&config->limits);
}

static enum valk_error check_ranges(const struct valk_config *config, struct valk_diagnostic *diagnostic)
{
	const struct valk_limits *limits = &config->limits;
	const struct {
		const char *name;
		uint64_t value, least, most;
	} ranges[] = {
		{"number of workers", config->workers, 0, VALK_WORKERS_MAX},
		{"handshake timeout (ms)", limits->handshake_timeout_ms, 1, 3600000},
		{"idle timeout (ms)", limits->idle_timeout_ms, 1, 86400000},
		{"header timeout (ms)", limits->header_timeout_ms, 1, 3600000},
		{"body grace (ms)", limits->body_grace_ms, 0, 3600000},
		{"send timeout (ms)", limits->send_timeout_ms, 1, 3600000},
		{"number of concurrent streams", limits->concurrent_streams, 1, 10000},
		{"header list (bytes)", limits->header_bytes, 1024, 1024 * 1024},
		{"number of header fields", limits->header_fields, 8, 10000},
		{"number of resets", limits->reset_burst, 1, 1000000},
		{"rate of resets", limits->reset_rate, 1, 1000000},
		{"number of stream errors", limits->error_burst, 1, 1000000},
		{"rate of stream errors", limits->error_rate, 1, 1000000},
		{"overhead ratio", limits->overhead_ratio, 1, 1000000},
		{"overhead allowance (bytes)", limits->overhead_bytes, 64 * 1024, 1 << 30},
		{"number of PING frames", limits->pings, 1, 1000000},
		{"number of SETTINGS frames", limits->settings, 2, 1000000},
		{"number of queued acknowledgements", limits->queue_acks, 1, 1000000},
		{"number of SETTINGS entries", limits->settings_entries, 6, 2730},
		{"number of CONTINUATION frames", limits->continuations, 1, 100000},
		{"bytes before the TLS handshake is done", limits->handshake_bytes, 4096, 1 << 30},
		{"number of empty TLS records", limits->empty_records, 1, 1000000},
		{"number of queued frames", limits->queue_frames, limits->concurrent_streams, 1000000},
	};
	for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++) {
		if (ranges[i].value < ranges[i].least || ranges[i].value > ranges[i].most)
			return diagnose(diagnostic, VALK_ERROR_USAGE, "%s is %llu; give %llu to %llu", ranges[i].name,
					(unsigned long long)ranges[i].value, (unsigned long long)ranges[i].least,
					(unsigned long long)ranges[i].most);
	}
	return VALK_OK;
}

enum valk_error config_check_values(const struct valk_config *config, struct valk_diagnostic *diagnostic)
{
	if (config->handler.handle == NULL)
		return diagnose(diagnostic, VALK_ERROR_USAGE, "no handler is set; give one that answers requests");
	if (config->server_name != NULL &&
	    !field_value_is_valid((struct valk_text){config->server_name, strlen(config->server_name)}))
		return diagnose(diagnostic, VALK_ERROR_USAGE,
				"server name '%s' is not a valid header value; use plain text", config->server_name);
	if (config->tls && (config->certificate_file == NULL || config->key_file == NULL))
		return diagnose(diagnostic, VALK_ERROR_USAGE,
				"TLS needs a certificate and its key; give --cert FILE and --key FILE (make certs "
				"makes a pair for "
				"development)");
	return check_ranges(config, diagnostic);
}

enum valk_error config_parse_hosts(const struct valk_config *config, struct address addresses[VALK_HOSTS_MAX],
				   size_t *count, struct valk_diagnostic *diagnostic)
{
	static const char *const any[] = {"0.0.0.0", "::"};
	const char *const *hosts = config->host_count > 0 ? config->hosts : any;
	*count = config->host_count > 0 ? config->host_count : 2;
	if (*count > VALK_HOSTS_MAX)
		return diagnose(diagnostic, VALK_ERROR_USAGE, "%zu addresses are too many; give at most %d", *count,
				VALK_HOSTS_MAX);
	for (size_t i = 0; i < *count; i++) {
		if (!address_parse(hosts[i], config->port, &addresses[i]))
			return diagnose(
				diagnostic, VALK_ERROR_USAGE,
				"host '%s' is not a numeric IPv4 or IPv6 address; give one such as 127.0.0.1 or ::1",
				hosts[i]);
	}
	return VALK_OK;
}

enum valk_error config_load_tls(const struct valk_config *config, struct tls_credentials **credentials,
				struct tls_ticket_keys **tickets, struct valk_diagnostic *diagnostic)
{
	enum valk_error error =
		tls_credentials_load(config->certificate_file, config->key_file, credentials, diagnostic);
	if (error != VALK_OK)
		return error;
	*tickets = tls_ticket_keys_create(time(NULL));
	if (*tickets == NULL)
		error = diagnose(diagnostic, VALK_ERROR_MEMORY,
				 "cannot make session ticket keys: out of memory or entropy");
	else
		error = tls_self_test(*credentials, *tickets, diagnostic);
	if (error != VALK_OK) {
		tls_ticket_keys_destroy(*tickets);
		tls_credentials_destroy(*credentials);
		*tickets = NULL;
		*credentials = NULL;
	}
	return error;
}
