/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE
#include "base/file.h"

#include <sys/stat.h>
#include <unistd.h>

#include "support/test.h"

static char folder[] = "/tmp/valkyrie-test-XXXXXX";
static char path[256];

static int make_folder(void **state)
{
	(void)state;
	return mkdtemp(folder) == NULL;
}

static int remove_folder(void **state)
{
	(void)state;
	return rmdir(folder);
}

static const char *in_folder(const char *name)
{
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

static void whole_files(void **state)
{
	(void)state;
	uint8_t *bytes;
	size_t length;
	struct valk_diagnostic diagnostic;
	FILE *file = fopen(in_folder("f"), "w");
	fwrite("ab\0c", 1, 4, file);
	fclose(file);
	assert_int_equal(file_read("body file", path, 4, &bytes, &length, &diagnostic), VALK_OK);
	assert_int_equal(length, 4);
	assert_memory_equal(bytes, "ab\0c", 5);
	free(bytes);
	assert_int_equal(file_read("body file", path, 3, &bytes, &length, &diagnostic), VALK_ERROR_CONFIG);
	assert_contains(diagnostic.text, "too large: 4 bytes, at most 3");
	unlink(path);
}

static void what_is_no_file(void **state)
{
	(void)state;
	uint8_t *bytes;
	size_t length;
	struct valk_diagnostic diagnostic;
	assert_int_equal(file_read("key", in_folder("absent"), 9, &bytes, &length, &diagnostic), VALK_ERROR_CONFIG);
	assert_contains(diagnostic.text, "cannot read key");
	assert_contains(diagnostic.text, "No such file");
	assert_int_equal(file_read("key", folder, 9999, &bytes, &length, &diagnostic), VALK_ERROR_CONFIG);
	assert_contains(diagnostic.text, "not a regular file");
	assert_int_equal(mkfifo(in_folder("fifo"), 0600), 0);
	assert_int_equal(file_read("key", path, 9999, &bytes, &length, &diagnostic),
			 VALK_ERROR_CONFIG); /* does not hang */
	unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(whole_files), cmocka_unit_test(what_is_no_file)};
	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
