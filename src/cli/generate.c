/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Build tool: writes what follows from the option table, for the man page and for shell completion. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/options.h"

/* scdoc takes these for mark-up. */
static void put_escaped(const char *text)
{
	for (; *text != '\0'; text++) {
		if (strchr("*_\\<#[]", *text) != NULL)
			putchar('\\');
		putchar(*text);
	}
}

static void put_man_options(void)
{
	const char *section = "";
	for (size_t i = 0; i < option_spec_count; i++) {
		const struct option_spec *spec = &option_specs[i];
		if (strcmp(section, spec->section) != 0)
			printf("## %s\n\n", spec->section);
		section = spec->section;
		if (spec->letter != 0)
			printf("*-%c*, ", spec->letter);
		printf("*--%s*", spec->name);
		if (spec->argument != NULL) {
			putchar(' ');
			put_escaped(spec->argument);
		}
		printf("\n\t");
		put_escaped(spec->help);
		printf(".\n\n");
	}
}

/* Copies the template on standard input; the line "@OPTIONS@" becomes the table. */
static void put_man(void)
{
	char line[4096];
	while (fgets(line, sizeof(line), stdin) != NULL) {
		if (strcmp(line, "@OPTIONS@\n") == 0)
			put_man_options();
		else
			fputs(line, stdout);
	}
}

static void put_bash(void)
{
	printf("# bash completion for valkyrie\n_valkyrie() {\n\tlocal word=${COMP_WORDS[COMP_CWORD]} "
	       "before=${COMP_WORDS[COMP_CWORD-1]}\n\tcase $before in\n");
	for (size_t i = 0; i < option_spec_count; i++) {
		const struct option_spec *spec = &option_specs[i];
		if (spec->argument != NULL)
			printf("\t--%s) %s; return ;;\n", spec->name,
			       strcmp(spec->argument, "FILE") == 0 ? "COMPREPLY=($(compgen -f -- \"$word\"))"
								   : "COMPREPLY=()");
	}
	printf("\tesac\n\tCOMPREPLY=($(compgen -W '");
	for (size_t i = 0; i < option_spec_count; i++)
		printf("--%s ", option_specs[i].name);
	printf("' -- \"$word\"))\n}\ncomplete -F _valkyrie valkyrie\n");
}

int main(int argc, char **argv)
{
	const char *what = argc == 2 ? argv[1] : "";
	if (strcmp(what, "man") == 0) {
		put_man();
	} else if (strcmp(what, "bash") == 0) {
		put_bash();
	} else {
		fprintf(stderr, "usage: valkyrie-generate man|bash\n");
		return EXIT_FAILURE;
	}
	return EXIT_SUCCESS;
}
