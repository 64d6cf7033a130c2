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
	PORT_UNSET = UINT16_MAX + 1,
	DURATION_MAX_MS = 24 * 3600 * 1000,
};

#define APPLY(name)                                                                                                    \
	static enum valk_error name(const struct option_spec *spec, struct options *options, const char *value,        \
				    struct valk_diagnostic *diagnostic)

static void *field_of(const struct option_spec *spec, struct options *options)
{
	return (char *)options + spec->offset;
}

APPLY(set_true)
{
	(void)value;
	(void)diagnostic;
	*(bool *)field_of(spec, options) = true;
	return VALK_OK;
}

APPLY(set_text)
{
	(void)diagnostic;
	*(const char **)field_of(spec, options) = value;
	return VALK_OK;
}

APPLY(set_number)
{
	uint64_t number;
	if (!parse_number(value, spec->most, &number) || number < spec->least)
		return diagnose(diagnostic, VALK_ERROR_USAGE, "give a whole number from %llu to %llu",
				(unsigned long long)spec->least, (unsigned long long)spec->most);
	*(uint32_t *)field_of(spec, options) = (uint32_t)number;
	return VALK_OK;
}

APPLY(set_milliseconds)
{
	uint64_t milliseconds;
	if (!parse_duration(value, &milliseconds) || milliseconds < 1 || milliseconds > DURATION_MAX_MS)
		return diagnose(diagnostic, VALK_ERROR_USAGE,
				"give a duration from 1ms to 24h: a whole number and ms, s, m or h (a bare number "
				"counts seconds)");
	*(uint32_t *)field_of(spec, options) = (uint32_t)milliseconds;
	return VALK_OK;
}

static enum valk_error read_size(const struct option_spec *spec, const char *value, uint64_t *bytes,
				 struct valk_diagnostic *diagnostic)
{
	if (parse_size(value, bytes) && *bytes >= spec->least && *bytes <= spec->most)
		return VALK_OK;
	return diagnose(diagnostic, VALK_ERROR_USAGE,
			"give a size from %llu to %llu bytes: a whole number, with K, M or G for powers of 1024",
			(unsigned long long)spec->least, (unsigned long long)spec->most);
}

APPLY(set_size)
{
	uint64_t bytes = 0;
	enum valk_error error = read_size(spec, value, &bytes, diagnostic);
	*(uint32_t *)field_of(spec, options) = (uint32_t)bytes;
	return error;
}

APPLY(set_large_size)
{
	return read_size(spec, value, field_of(spec, options), diagnostic);
}

APPLY(add_host)
{
	(void)spec;
	if (options->config.host_count == VALK_HOSTS_MAX)
		return diagnose(diagnostic, VALK_ERROR_USAGE, "at most %d addresses can be given", VALK_HOSTS_MAX);
	options->config.hosts[options->config.host_count++] = value;
	return VALK_OK;
}

APPLY(set_workers)
{
	if (strcmp(value, "auto") == 0) {
		options->config.workers = 0;
		return VALK_OK;
	}
	if (set_number(spec, options, value, diagnostic) != VALK_OK)
		return diagnose(diagnostic, VALK_ERROR_USAGE, "give a whole number from 1 to %d, or auto",
				VALK_WORKERS_MAX);
	return VALK_OK;
}

APPLY(add_header)
{
	(void)spec;
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

static const char listening[] = "Listening";
static const char response[] = "Response";
static const char limits[] = "Limits";
static const char privileges[] = "Privileges";
static const char general[] = "General";

#define AT(member) offsetof(struct options, member)
#define LIMIT(member) offsetof(struct options, config.limits.member)

/* clang-format off */
const struct option_spec option_specs[] = {
	{"host", 0, "ADDR", listening, "numeric IPv4 or IPv6 address to listen on; repeatable (default: all)", add_host, 0, 0, 0},
	{"port", 'p', "N", listening, "TCP port, 0 for a free one (default: 8443 with --tls, else 8080)", set_number, AT(port), 0, 65535},
	{"tls", 0, NULL, listening, "serve HTTPS; without it HTTP/2 in cleartext with prior knowledge", set_true, AT(config.tls), 0, 0},
	{"cert", 0, "FILE", listening, "certificate chain in PEM, leaf first", set_text, AT(config.certificate_file), 0, 0},
	{"key", 0, "FILE", listening, "private key in PEM, not encrypted", set_text, AT(config.key_file), 0, 0},
	{"workers", 'n', "N|auto", listening, "worker threads (default: auto, one a usable CPU)", set_workers, AT(config.workers), 1, VALK_WORKERS_MAX},

	{"body", 0, "TEXT", response, "answer with this text", set_text, AT(body_text), 0, 0},
	{"body-file", 0, "FILE", response, "answer with this file, read once at start", set_text, AT(body_file), 0, 0},
	{"content-type", 0, "TYPE", response, "media type of the answer (default: by the kind of body)", set_text, AT(response.content_type), 0, 0},
	{"status", 0, "CODE", response, "status of the answer, 200 to 599 (default: 200)", set_number, AT(response.status), 200, 599},
	{"header", 0, "'NAME: VALUE'", response, "add a header to the answer; repeatable", add_header, 0, 0, 0},
	{"etag", 0, NULL, response, "add an entity-tag made of the body", set_true, AT(response.etag), 0, 0},
	{"server-name", 0, "NAME", response, "value of the server header (default: valkyrie)", set_text, AT(config.server_name), 0, 0},
	{"no-server-header", 0, NULL, response, "send no server header", set_true, AT(no_server_header), 0, 0},

	{"handshake-timeout", 0, "TIME", limits, "accept to TLS and HTTP/2 preface (default: 10s)", set_milliseconds, LIMIT(handshake_timeout_ms), 0, 0},
	{"idle-timeout", 0, "TIME", limits, "connection without a request (default: 60s)", set_milliseconds, LIMIT(idle_timeout_ms), 0, 0},
	{"header-timeout", 0, "TIME", limits, "one request's header block (default: 10s)", set_milliseconds, LIMIT(header_timeout_ms), 0, 0},
	{"body-grace", 0, "TIME", limits, "time before --min-body-rate counts (default: 10s)", set_milliseconds, LIMIT(body_grace_ms), 0, 0},
	{"min-body-rate", 0, "SIZE", limits, "slowest request body, bytes a second (default: 500)", set_size, LIMIT(body_rate), 0, 1 << 30},
	{"send-timeout", 0, "TIME", limits, "response without progress (default: 30s)", set_milliseconds, LIMIT(send_timeout_ms), 0, 0},
	{"drain-timeout", 0, "TIME", limits, "longest graceful end (default: 30s)", set_milliseconds, AT(drain_timeout_ms), 0, 0},
	{"max-streams", 0, "N", limits, "concurrent requests a connection (default: 100)", set_number, LIMIT(concurrent_streams), 1, 10000},
	{"max-header-size", 0, "SIZE", limits, "header list of a request (default: 32K)", set_size, LIMIT(header_bytes), 1024, 1 << 20},
	{"max-header-fields", 0, "N", limits, "fields in a header list (default: 200)", set_number, LIMIT(header_fields), 8, 10000},
	{"max-body", 0, "SIZE", limits, "request body (default: 1M)", set_large_size, LIMIT(body_bytes), 0, INT64_MAX},
	{"max-queued-frames", 0, "N", limits, "frames waiting for a slow client (default: 1000)", set_number, LIMIT(queue_frames), 100, 1000000},
	{"max-resets", 0, "N", limits, "requests a client may reset unanswered, at once (default: 200)", set_number, LIMIT(reset_burst), 1, 1000000},
	{"reset-rate", 0, "N", limits, "the same, a second (default: 20)", set_number, LIMIT(reset_rate), 1, 1000000},
	{"max-stream-errors", 0, "N", limits, "streams a client may make the server reset, at once (default: 200)", set_number, LIMIT(error_burst), 1, 1000000},
	{"stream-error-rate", 0, "N", limits, "the same, a second (default: 10)", set_number, LIMIT(error_rate), 1, 1000000},
	{"overhead-ratio", 0, "N", limits, "bytes a client may send for each useful one (default: 8)", set_number, LIMIT(overhead_ratio), 1, 1000000},
	{"overhead-allowance", 0, "SIZE", limits, "bytes a client may send beside that (default: 1M)", set_size, LIMIT(overhead_bytes), 64 << 10, 1 << 30},
	{"max-pings", 0, "N", limits, "PING frames in 10 s (default: 200)", set_number, LIMIT(pings), 1, 1000000},
	{"max-settings", 0, "N", limits, "SETTINGS frames in 10 s (default: 100)", set_number, LIMIT(settings), 2, 1000000},
	{"max-settings-entries", 0, "N", limits, "entries of one SETTINGS frame (default: 32)", set_number, LIMIT(settings_entries), 6, 2730},
	{"max-continuations", 0, "N", limits, "CONTINUATION frames of a header block (default: 32)", set_number, LIMIT(continuations), 1, 100000},
	{"max-queued-acks", 0, "N", limits, "acknowledgements waiting for a slow client (default: 100)", set_number, LIMIT(queue_acks), 1, 1000000},
	{"max-handshake-bytes", 0, "SIZE", limits, "received before the TLS handshake is done (default: 40K)", set_size, LIMIT(handshake_bytes), 4096, 1 << 30},
	{"max-empty-records", 0, "N", limits, "TLS records in a row without data (default: 32)", set_number, LIMIT(empty_records), 1, 1000000},
	{"max-connections", 0, "N", limits, "connections a worker (default: as the descriptor limit allows)", set_number, LIMIT(connections), 1, 10000000},

	{"user", 0, "USER[:GROUP]", privileges, "become this user once the ports are open (as root)", set_text, AT(user), 0, 0},
	{"allow-root", 0, NULL, privileges, "serve as root all the same", set_true, AT(allow_root), 0, 0},
	{"chroot", 0, "FOLDER", privileges, "see nothing but this folder once everything is read (as root)", set_text, AT(root_folder), 0, 0},
	{"no-sandbox", 0, NULL, privileges, "keep Landlock and seccomp off", set_true, AT(no_sandbox), 0, 0},

	{"check", 't', NULL, general, "check options, files and certificate, then exit", set_true, AT(check_only), 0, 0},
	{"verbose", 'v', NULL, general, "log every connection", set_true, AT(verbose), 0, 0},
	{"quiet", 'q', NULL, general, "log errors only, show no banner", set_true, AT(quiet), 0, 0},
	{"version", 'V', NULL, general, "show versions and CPU features, then exit", set_true, AT(show_version), 0, 0},
	{"help", 'h', NULL, general, "show this help, then exit", set_true, AT(show_help), 0, 0},
};
/* clang-format on */

const size_t option_spec_count = sizeof(option_specs) / sizeof(option_specs[0]);
_Static_assert(sizeof(option_specs) / sizeof(option_specs[0]) < OPTIONS_MAX, "getopt's table must have room");

static void set_defaults(struct options *options)
{
	memset(options, 0, sizeof(*options));
	valk_config_init(&options->config);
	options->response.status = 200;
	options->response.fields = options->headers;
	options->drain_timeout_ms = 30000;
	options->port = PORT_UNSET;
}

/* What follows from several options at once. */
static void complete(struct options *options)
{
	struct valk_config *config = &options->config;
	if (options->port == PORT_UNSET)
		options->port = config->tls ? PORT_TLS : PORT_CLEARTEXT;
	config->port = (uint16_t)options->port;
	if (options->no_server_header)
		config->server_name = NULL;
	if (options->verbose)
		config->log_level = VALK_LOG_DETAIL;
	if (options->quiet)
		config->log_level = VALK_LOG_ERROR;
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
	enum valk_error error = spec->apply(spec, options, value, &reason);
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
	if (options->user != NULL && options->allow_root)
		return diagnose(diagnostic, VALK_ERROR_USAGE,
				"options '--user' and '--allow-root' exclude each other; give one");
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
	complete(options);
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
