/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs a fuzz target over the files of a folder, without a fuzzer: the corpus, and every input that once found
 * something. */
#define _GNU_SOURCE
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "fuzz/fuzz.h"

static int run_file(const char *path)
{
	struct stat status;
	FILE *file = fopen(path, "re");
	if (file == NULL || fstat(fileno(file), &status) != 0) {
		fprintf(stderr, "replay: cannot read %s\n", path);
		return 1;
	}
	size_t size = (size_t)status.st_size;
	uint8_t *bytes = malloc(size > 0 ? size : 1); /* no byte more, so that a sanitizer sees every overrun */
	int failed = bytes == NULL || fread(bytes, 1, size, file) != size;
	fclose(file);
	if (!failed)
		LLVMFuzzerTestOneInput(bytes, size);
	free(bytes);
	return failed;
}

int main(int argc, char **argv)
{
	/* Its folder follows from its name: replay_http2 runs tests/fuzz/corpus/http2. */
	const char *name = strstr(argv[argc - 1], "replay_");
	char folder[256], path[600];
	if (name == NULL)
		return 2;
	snprintf(folder, sizeof(folder), "tests/fuzz/corpus/%s", name + strlen("replay_"));
	DIR *entries = opendir(folder);
	if (entries == NULL)
		return 2;
	int count = 0, failed = 0;
	for (const struct dirent *entry; (entry = readdir(entries)) != NULL;) {
		if (entry->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
		failed += run_file(path);
		count++;
	}
	closedir(entries);
	printf("%d inputs\n[  PASSED  ] %d test(s).\n", count, count > 0 && failed == 0);
	return count == 0 || failed != 0;
}
