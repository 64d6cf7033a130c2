/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE
#include "cli/options.h"

#include <getopt.h>
#include <string.h>

#include "base/error.h"
#include "base/parse.h"
#include "cli/suggest.h"
#include "valkyrie/version.h"

enum {
	OPTIONS_MAX = 64,
	FIRST_LONG_VALUE = 256, /* getopt's value of table entry 0; above every letter */
	PORT_CLEARTEXT = 8080,
	PORT_TLS = 8443,
};

static enum valk_error set_number(const char *value, uint64_t least, uint64_t most, uint32_t *number,
				  struct valk_diagnostic *diagnostic)
{
	uint64_t parsed;
	if (!parse_number(value, most, &parsed) || parsed < least)
		return diagnose(diagnostic, VALK_ERROR_USAGE, "give a whole number from %llu to %llu",
				(unsigned long long)least, (unsigned long long)most);
	*number = (uint32_t)parsed;
	return VALK_OK;
}

static enum valk_error set_duration(const char *value, uint32_t *milliseconds, struct valk_diagnostic *diagnostic)
{
	uint64_t parsed;
	if (!parse_duration(value, &parsed) || parsed == 0 || parsed > 86400000)
		return diagnose(diagnostic, VALK_ERROR_USAGE,
				"give a duration from 1ms to 24h: a whole number and ms, s, m or h (a bare number "
				"counts seconds)");
	*milliseconds = (uint32_t)parsed;
	return VALK_OK;
}

static enum valk_error set_size(const char *value, uint64_t most, uint64_t *bytes, struct valk_diagnostic *diagnostic)
{
	uint64_t parsed;
	if (!parse_size(value, &parsed) || parsed > most)
		return diagnose(diagnostic, VALK_ERROR_USAGE,
				"give a size of at most %llu bytes: a whole number, with K, M or G for powers of 1024",
				(unsigned long long)most);
	*bytes = parsed;
	return VALK_OK;
}

#define APPLY(name)                                                                                                    \
	static enum valk_error name(struct options *options, const char *value, struct valk_diagnostic *diagnostic)

APPLY(apply_host)
{
	if (options->config.host_count == VALK_HOSTS_MAX)
		return diagnose(diagnostic, VALK_ERROR_USAGE, "at most %d addresses can be given", VALK_HOSTS_MAX);
	options->config.hosts[options->config.host_count++] = value;
	return VALK_OK;
}

APPLY(apply_port)
{
	uint32_t port = 0;
	enum valk_error error = set_number(value, 0, 65535, &port, diagnostic);
	if (error != VALK_OK)
		return error;
	options->config.port = (uint16_t)port;
	options->port_given = true;
	return VALK_OK;
}

APPLY(apply_tls)
{
	(void)value;
	(void)diagnostic;
	options->config.tls = true;
	return VALK_OK;
}

APPLY(apply_cert)
{
	(void)diagnostic;
	options->config.certificate_file = value;
	return VALK_OK;
}

APPLY(apply_key)
{
	(void)diagnostic;
	options->config.key_file = value;
	return VALK_OK;
}

APPLY(apply_workers)
{
	uint32_t workers = 0;
	if (strcmp(value, "auto") == 0) {
		options->config.workers = 0;
		return VALK_OK;
	}
	if (set_number(value, 1, VALK_WORKERS_MAX, &workers, diagnostic) != VALK_OK)
		return diagnose(diagnostic, VALK_ERROR_USAGE, "give a whole number from 1 to %d, or auto",
				VALK_WORKERS_MAX);
	options->config.workers = workers;
	return VALK_OK;
}

APPLY(apply_body)
{
	(void)diagnostic;
	options->body_text = value;
	return VALK_OK;
}

APPLY(apply_body_file)
{
	(void)diagnostic;
	options->body_file = value;
	return VALK_OK;
}

APPLY(apply_content_type)
{
	(void)diagnostic;
	options->response.content_type = value;
	return VALK_OK;
}

APPLY(apply_status)
{
	return set_number(value, 200, 599, &options->response.status, diagnostic);
}

APPLY(apply_header)
{
	const char *colon = strchr(value, ':');
	if (colon == NULL || colon == value)
		return diagnose(diagnostic, VALK_ERROR_USAGE, "give 'name: value'");
	if (options->response.field_count == HEADERS_MAX)
		return diagnose(diagnostic, VALK_ERROR_USAGE, "at most %d headers can be given", HEADERS_MAX);
	const char *content = colon + 1 + strspn(colon + 1, " \t");
	options->headers[options->response.field_count++] = (struct valk_field){
		{value, (size_t)(colon - value)},
		{content, strlen(content)},
	};
	return VALK_OK;
}

APPLY(apply_server_name)
{
	(void)diagnostic;
	options->config.server_name = value;
	return VALK_OK;
}

APPLY(apply_no_server_header)
{
	(void)value;
	(void)diagnostic;
	options->config.server_name = NULL;
	return VALK_OK;
}

APPLY(apply_handshake_timeout)
{
	return set_duration(value, &options->config.limits.handshake_timeout_ms, diagnostic);
}

APPLY(apply_idle_timeout)
{
	return set_duration(value, &options->config.limits.idle_timeout_ms, diagnostic);
}

APPLY(apply_header_timeout)
{
	return set_duration(value, &options->config.limits.header_timeout_ms, diagnostic);
}

APPLY(apply_body_grace)
{
	return set_duration(value, &options->config.limits.body_grace_ms, diagnostic);
}

APPLY(apply_min_body_rate)
{
	uint64_t rate = 0;
	enum valk_error error = set_size(value, UINT32_MAX, &rate, diagnostic);
	options->config.limits.body_rate = (uint32_t)rate;
	return error;
}

APPLY(apply_send_timeout)
{
	return set_duration(value, &options->config.limits.send_timeout_ms, diagnostic);
}

APPLY(apply_drain_timeout)
{
	return set_duration(value, &options->drain_timeout_ms, diagnostic);
}

APPLY(apply_max_streams)
{
	return set_number(value, 1, 10000, &options->config.limits.concurrent_streams, diagnostic);
}

APPLY(apply_max_header_size)
{
	uint64_t bytes = 0;
	enum valk_error error = set_size(value, 1024 * 1024, &bytes, diagnostic);
	options->config.limits.header_bytes = (uint32_t)bytes;
	return error;
}

APPLY(apply_max_header_fields)
{
	return set_number(value, 8, 10000, &options->config.limits.header_fields, diagnostic);
}

APPLY(apply_max_body)
{
	return set_size(value, UINT64_MAX >> 1, &options->config.limits.body_bytes, diagnostic);
}

APPLY(apply_max_queued_frames)
{
	return set_number(value, 100, 1000000, &options->config.limits.queue_frames, diagnostic);
}

APPLY(apply_max_connections)
{
	return set_number(value, 1, 10000000, &options->config.limits.connections, diagnostic);
}

APPLY(apply_check)
{
	(void)value;
	(void)diagnostic;
	options->check_only = true;
	return VALK_OK;
}

APPLY(apply_verbose)
{
	(void)value;
	(void)diagnostic;
	options->config.log_level = VALK_LOG_DETAIL;
	return VALK_OK;
}

APPLY(apply_quiet)
{
	(void)value;
	(void)diagnostic;
	options->config.log_level = VALK_LOG_ERROR;
	options->quiet = true;
	return VALK_OK;
}

APPLY(apply_version)
{
	(void)value;
	(void)diagnostic;
	options->show_version = true;
	return VALK_OK;
}

APPLY(apply_help)
{
	(void)value;
	(void)diagnostic;
	options->show_help = true;
	return VALK_OK;
}

static const char listening[] = "Listening";
static const char response[] = "Response";
static const char limits[] = "Limits";
static const char general[] = "General";

const struct option_spec option_specs[] = {
	{"host", 0, "ADDR", listening, "numeric IPv4 or IPv6 address to listen on; repeatable (default: all)",
	 apply_host},
	{"port", 'p', "N", listening, "TCP port, 0 for a free one (default: 8443 with --tls, else 8080)", apply_port},
	{"tls", 0, NULL, listening, "serve HTTPS; without it HTTP/2 in cleartext with prior knowledge", apply_tls},
	{"cert", 0, "FILE", listening, "certificate chain in PEM, leaf first", apply_cert},
	{"key", 0, "FILE", listening, "private key in PEM, not encrypted", apply_key},
	{"workers", 'n', "N|auto", listening, "worker threads (default: auto, one a usable CPU)", apply_workers},

	{"body", 0, "TEXT", response, "answer with this text", apply_body},
	{"body-file", 0, "FILE", response, "answer with this file, read once at start", apply_body_file},
	{"content-type", 0, "TYPE", response, "media type of the answer (default: text/html or text/plain)",
	 apply_content_type},
	{"status", 0, "CODE", response, "status of the answer, 200 to 599 (default: 200)", apply_status},
	{"header", 0, "'NAME: VALUE'", response, "add a header to the answer; repeatable", apply_header},
	{"server-name", 0, "NAME", response, "value of the server header (default: valkyrie)", apply_server_name},
	{"no-server-header", 0, NULL, response, "send no server header", apply_no_server_header},

	{"handshake-timeout", 0, "TIME", limits, "accept to TLS and HTTP/2 preface (default: 10s)",
	 apply_handshake_timeout},
	{"idle-timeout", 0, "TIME", limits, "connection without a request (default: 60s)", apply_idle_timeout},
	{"header-timeout", 0, "TIME", limits, "one request's header block (default: 10s)", apply_header_timeout},
	{"body-grace", 0, "TIME", limits, "time before --min-body-rate counts (default: 10s)", apply_body_grace},
	{"min-body-rate", 0, "SIZE", limits, "slowest request body, bytes a second (default: 500)",
	 apply_min_body_rate},
	{"send-timeout", 0, "TIME", limits, "response without progress (default: 30s)", apply_send_timeout},
	{"drain-timeout", 0, "TIME", limits, "longest graceful end (default: 30s)", apply_drain_timeout},
	{"max-streams", 0, "N", limits, "concurrent requests a connection (default: 100)", apply_max_streams},
	{"max-header-size", 0, "SIZE", limits, "header list of a request (default: 32K)", apply_max_header_size},
	{"max-header-fields", 0, "N", limits, "fields in a header list (default: 200)", apply_max_header_fields},
	{"max-body", 0, "SIZE", limits, "request body (default: 1M)", apply_max_body},
	{"max-queued-frames", 0, "N", limits, "frames waiting for a slow client (default: 1000)",
	 apply_max_queued_frames},
	{"max-connections", 0, "N", limits, "connections a worker (default: as the descriptor limit allows)",
	 apply_max_connections},

	{"check", 't', NULL, general, "check options, files and certificate, then exit", apply_check},
	{"verbose", 'v', NULL, general, "log more", apply_verbose},
	{"quiet", 'q', NULL, general, "log errors only, show no banner", apply_quiet},
	{"version", 'V', NULL, general, "show versions and CPU features, then exit", apply_version},
	{"help", 'h', NULL, general, "show this help, then exit", apply_help},
};

const size_t option_spec_count = sizeof(option_specs) / sizeof(option_specs[0]);
_Static_assert(sizeof(option_specs) / sizeof(option_specs[0]) < OPTIONS_MAX, "getopt's table must have room");

static void set_defaults(struct options *options)
{
	memset(options, 0, sizeof(*options));
	valk_config_init(&options->config);
	options->response.status = 200;
	options->response.fields = options->headers;
	options->drain_timeout_ms = 30000;
}

/* Fills getopt's two tables from ours. */
static void build_getopt_tables(struct option long_options[OPTIONS_MAX], char short_options[2 * OPTIONS_MAX + 2])
{
	char *letter = short_options;
	*letter++ = ':'; /* tell a missing value from an unknown option */
	memset(long_options, 0, OPTIONS_MAX * sizeof(*long_options));
	for (size_t i = 0; i < option_spec_count; i++) {
		const struct option_spec *spec = &option_specs[i];
		long_options[i].name = spec->name;
		long_options[i].has_arg = spec->argument != NULL ? required_argument : no_argument;
		long_options[i].val = FIRST_LONG_VALUE + (int)i;
		if (spec->letter == 0)
			continue;
		*letter++ = spec->letter;
		if (spec->argument != NULL)
			*letter++ = ':';
	}
	*letter = '\0';
}

static const struct option_spec *find_spec(int value)
{
	for (size_t i = 0; i < option_spec_count; i++) {
		if (value == FIRST_LONG_VALUE + (int)i || (value != 0 && value == option_specs[i].letter))
			return &option_specs[i];
	}
	return NULL;
}

static enum valk_error explain_unknown(const char *word, int letter, struct valk_diagnostic *diagnostic)
{
	if (letter != 0 && letter < FIRST_LONG_VALUE)
		return diagnose(diagnostic, VALK_ERROR_USAGE, "unknown option '-%c'; see valkyrie --help", letter);
	const char *nearest = suggest_option(word);
	if (letter >= FIRST_LONG_VALUE)
		return diagnose(diagnostic, VALK_ERROR_USAGE,
				"option '%s' takes no value; leave out what follows the '='", word);
	if (nearest != NULL)
		return diagnose(diagnostic, VALK_ERROR_USAGE, "unknown option '%s'; did you mean '--%s'?", word,
				nearest);
	return diagnose(diagnostic, VALK_ERROR_USAGE, "unknown option '%s'; see valkyrie --help", word);
}

static enum valk_error apply(const struct option_spec *spec, const char *value, struct options *options,
			     struct valk_diagnostic *diagnostic)
{
	struct valk_diagnostic reason;
	enum valk_error error = spec->apply(options, value, &reason);
	if (error != VALK_OK)
		diagnose(diagnostic, error, "option '--%s' cannot be '%s'; %s", spec->name, value, reason.text);
	return error;
}

/* Options that exclude or need each other. */
static enum valk_error check_together(const struct options *options, struct valk_diagnostic *diagnostic)
{
	const struct valk_config *config = &options->config;
	if (options->body_text != NULL && options->body_file != NULL)
		return diagnose(diagnostic, VALK_ERROR_USAGE,
				"options '--body' and '--body-file' exclude each other; give one");
	if (!config->tls && (config->certificate_file != NULL || config->key_file != NULL))
		return diagnose(diagnostic, VALK_ERROR_USAGE, "option '--%s' needs '--tls'; add it",
				config->certificate_file != NULL ? "cert" : "key");
	if (config->tls && (config->certificate_file == NULL || config->key_file == NULL))
		return diagnose(diagnostic, VALK_ERROR_USAGE,
				"option '--tls' needs '--%s FILE'; add it (make certs makes a pair for development)",
				config->certificate_file == NULL ? "cert" : "key");
	return VALK_OK;
}

enum valk_error options_parse(int argc, char **argv, struct options *options, struct valk_diagnostic *diagnostic)
{
	struct option long_options[OPTIONS_MAX];
	char short_options[2 * OPTIONS_MAX + 2];
	set_defaults(options);
	build_getopt_tables(long_options, short_options);
	opterr = 0;
	optind = 0; /* glibc: start over, also within a cluster of letters */
	int value;
	while ((value = getopt_long(argc, argv, short_options, long_options, NULL)) != -1) {
		if (value == '?')
			return explain_unknown(argv[optind - 1], optopt, diagnostic);
		if (value == ':') {
			const struct option_spec *spec = find_spec(optopt);
			return diagnose(diagnostic, VALK_ERROR_USAGE, "option '%s' needs a value; give %s",
					argv[optind - 1], spec != NULL ? spec->argument : "one");
		}
		enum valk_error error = apply(find_spec(value), optarg, options, diagnostic);
		if (error != VALK_OK)
			return error;
	}
	if (optind < argc)
		return diagnose(diagnostic, VALK_ERROR_USAGE, "unexpected argument '%s'; options begin with --",
				argv[optind]);
	if (options->show_help || options->show_version)
		return VALK_OK;
	if (!options->port_given)
		options->config.port = options->config.tls ? PORT_TLS : PORT_CLEARTEXT;
	return check_together(options, diagnostic);
}

void options_print_help(FILE *stream)
{
	const char *section = "";
	fprintf(stream, "valkyrie %s - HTTP/2 and TLS server\n\nUsage: valkyrie [OPTION]...\n", VALK_VERSION);
	for (size_t i = 0; i < option_spec_count; i++) {
		const struct option_spec *spec = &option_specs[i];
		char left[64];
		if (strcmp(section, spec->section) != 0)
			fprintf(stream, "\n%s:\n", spec->section);
		section = spec->section;
		int length = spec->letter != 0 ? snprintf(left, sizeof(left), "-%c, --%s", spec->letter, spec->name)
					       : snprintf(left, sizeof(left), "    --%s", spec->name);
		if (spec->argument != NULL)
			snprintf(left + length, sizeof(left) - (size_t)length, " %s", spec->argument);
		fprintf(stream, "  %-30s %s\n", left, spec->help);
	}
	fprintf(stream,
		"\nTIME is a whole number and ms, s, m or h; a bare number counts seconds. SIZE takes K, M, G.\n"
		"\nSignals: TERM, INT end gracefully (a second one at once); QUIT ends at once.\n"
		"Exit status: 0 fine, 2 usage, 71 the system refused, 78 configuration or certificate, 1 other.\n"
		"\nExample: valkyrie --tls --port 8443 --cert certs/dev.crt --key certs/dev.key\n");
}
