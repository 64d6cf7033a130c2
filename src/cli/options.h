/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The command line. One table drives parsing, --help, the man page and shell completion. */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include <stdio.h>

#include "sandbox/privileges.h"
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
	const char *user;	  /* to become, USER or USER:GROUP */
	struct identity identity; /* whom that names, once daemon_check_privileges has found out */
	const char *root_folder;  /* for chroot */
	bool allow_root;
	bool no_sandbox;
	uint32_t drain_timeout_ms;
	uint32_t port; /* `config.port` once parsed */
	bool no_server_header;
	bool verbose;
	bool check_only;
	bool show_help;
	bool show_version;
	bool quiet;
};

/* One option. Most only set one field of `struct options`, which `offset` names; `least` and `most` bound numbers. */
struct option_spec {
	const char *name;
	char letter;	      /* 0 where there is no short form */
	const char *argument; /* NULL where it takes no value */
	const char *section;
	const char *help; /* a phrase without a full stop */
	/* Applies the value. VALK_ERROR_USAGE with a diagnostic that does not name the option. */
	enum valk_error (*apply)(const struct option_spec *spec, struct options *options, const char *value,
				 struct valk_diagnostic *diagnostic);
	size_t offset;
	uint64_t least;
	uint64_t most;
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
