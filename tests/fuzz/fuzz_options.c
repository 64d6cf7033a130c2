/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The command line: each line of an input is a word. What is accepted must stay within its limits, and a refusal must
 * say something on one line. */
#include <stdlib.h>
#include <string.h>

#include "cli/options.h"
#include "fuzz/fuzz.h"
#include "server/config.h"

enum { WORDS_MAX = 60 };

static const struct valk_response *handle(void *context, const struct valk_request *request)
{
	(void)context;
	(void)request;
	return NULL;
}

static void check_refusal(enum valk_error error, const struct valk_diagnostic *diagnostic)
{
	size_t length = strnlen(diagnostic->text, sizeof(diagnostic->text));
	if (error != VALK_ERROR_USAGE || length == 0 || length == sizeof(diagnostic->text))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *words[WORDS_MAX + 2];
	char name[] = "valkyrie";
	int count = 1;
	char *copy = malloc(size + 1);
	if (copy == NULL)
		return 0;
	memcpy(copy, data, size);
	copy[size] = '\0';
	words[0] = name;
	for (char *at = copy; at != NULL && count <= WORDS_MAX; count++) {
		words[count] = at;
		at = strchr(at, '\n');
		if (at != NULL)
			*at++ = '\0';
	}
	words[count] = NULL;

	struct options options;
	struct valk_diagnostic diagnostic = {""};
	enum valk_error error = options_parse(count, words, &options, &diagnostic);
	if (error != VALK_OK) {
		check_refusal(error, &diagnostic);
	} else if (!options.show_help && !options.show_version) {
		struct address addresses[VALK_HOSTS_MAX];
		size_t address_count;
		options.config.handler.handle = handle;
		error = config_check_values(&options.config, &diagnostic);
		if (error == VALK_OK)
			error = config_parse_hosts(&options.config, addresses, &address_count, &diagnostic);
		if (error != VALK_OK)
			check_refusal(error, &diagnostic);
	}
	free(copy);
	return 0;
}
