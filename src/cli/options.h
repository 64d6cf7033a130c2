/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The command line. One table drives parsing, --help, the man page and shell completion. */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include <stdio.h>

#include "valkyrie/server.h"
#include "valkyrie/static_response.h"

enum { HEADERS_MAX = 60 };

/* What the command line says. Strings point into argv. */
struct options {
	struct valk_config config;
	struct valk_static_config response;
	struct valk_field headers[HEADERS_MAX]; /* `response.fields` once parsed */
	const char *body_text;
	const char *body_file;
	uint32_t drain_timeout_ms;
	bool port_given;
	bool check_only;
	bool show_help;
	bool show_version;
	bool quiet;
};

/* One option. `letter` is 0 where there is no short form; `argument` NULL where it takes no value. */
struct option_spec {
	const char *name;
	char letter;
	const char *argument;
	const char *section;
	const char *help; /* a phrase without a full stop; %s is not expanded */
	/* Applies the value. VALK_ERROR_USAGE with a diagnostic that does not name the option. */
	enum valk_error (*apply)(struct options *options, const char *value, struct valk_diagnostic *diagnostic);
};

/* The table, in the order of --help. */
extern const struct option_spec option_specs[];
extern const size_t option_spec_count;

/* Parses argv into `options`, starting from the defaults. VALK_ERROR_USAGE with a diagnostic that names the option, the
 * value and the fix. Not thread-safe (getopt). */
enum valk_error options_parse(int argc, char **argv, struct options *options, struct valk_diagnostic *diagnostic);

/* Writes the text of --help. */
void options_print_help(FILE *stream);

#endif
