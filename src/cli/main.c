/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/file.h"
#include "cli/daemon.h"
#include "cli/default_page.h"
#include "valkyrie/version.h"

enum {
	EXIT_OTHER = 1,
	EXIT_USAGE = 2,
	EXIT_SYSTEM = 71, /* EX_OSERR of sysexits.h */
	EXIT_CONFIG = 78, /* EX_CONFIG */
};

static const size_t body_file_limit = (size_t)4 << 30; /* it is held in memory */

static int exit_status(enum valk_error error)
{
	switch (error) {
	case VALK_OK:
		return EXIT_SUCCESS;
	case VALK_ERROR_USAGE:
		return EXIT_USAGE;
	case VALK_ERROR_CONFIG:
		return EXIT_CONFIG;
	case VALK_ERROR_SYSTEM:
		return EXIT_SYSTEM;
	default:
		return EXIT_OTHER;
	}
}

static void print_version(void)
{
	struct valk_library_info libraries;
	valk_library_describe(&libraries);
	printf("valkyrie %s\n%s\n%s\nCPU features in use: %s\n", VALK_VERSION, libraries.tls, libraries.http2,
	       libraries.tls_acceleration);
}

/* Fills in what the response is made of. `*file_bytes` is to be freed by the caller. */
static enum valk_error load_body(struct options *options, uint8_t **file_bytes, struct valk_diagnostic *diagnostic)
{
	struct valk_static_config *response = &options->response;
	response->last_modified = time(NULL); /* a text of the command line is as old as the process */
	const char *type = "text/plain; charset=utf-8";
	if (options->body_file != NULL) {
		enum valk_error error = file_read("body file", options->body_file, body_file_limit, file_bytes,
						  &response->body_length, diagnostic);
		if (error != VALK_OK)
			return error;
		struct stat status;
		if (stat(options->body_file, &status) == 0)
			response->last_modified = status.st_mtime;
		response->body = *file_bytes;
		type = "application/octet-stream";
	} else if (options->body_text != NULL) {
		response->body = (const uint8_t *)options->body_text;
		response->body_length = strlen(options->body_text);
	} else {
		response->body = (const uint8_t *)default_page;
		response->body_length = strlen(default_page);
		type = "text/html; charset=utf-8";
	}
	if (response->content_type == NULL)
		response->content_type = type;
	return VALK_OK;
}

static enum valk_error serve(struct options *options, struct valk_diagnostic *diagnostic)
{
	uint8_t *file_bytes = NULL;
	struct valk_static_response *handler = NULL;
	enum valk_error error = daemon_check_privileges(options, diagnostic);
	if (error == VALK_OK)
		error = load_body(options, &file_bytes, diagnostic);
	if (error == VALK_OK)
		error = valk_static_response_create(&options->response, &handler, diagnostic);
	if (error == VALK_OK) {
		options->config.handler = valk_static_response_handler(handler);
		options->config.log_descriptor = 2;
		options->config.log_timestamps = getenv("JOURNAL_STREAM") == NULL; /* the journal has its own */
		error = options->check_only ? valk_config_check(&options->config, diagnostic)
					    : daemon_run(options, diagnostic);
	}
	valk_static_response_destroy(handler);
	free(file_bytes);
	if (error == VALK_OK && options->check_only && !options->quiet)
		printf("valkyrie: the configuration is fine\n");
	return error;
}

int main(int argc, char **argv)
{
	struct options options;
	struct valk_diagnostic diagnostic = {""};
	enum valk_error error = options_parse(argc, argv, &options, &diagnostic);
	if (error == VALK_OK && options.show_help)
		options_print_help(stdout);
	else if (error == VALK_OK && options.show_version)
		print_version();
	else if (error == VALK_OK)
		error = serve(&options, &diagnostic);
	if (error != VALK_OK)
		fprintf(stderr, "valkyrie: error: %s\n", diagnostic.text);
	return exit_status(error);
}
