/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static enum valk_error explain_open(const char *what, const char *path, int reason, struct valk_diagnostic *diagnostic)
{
	const char *fix = reason == ENOENT   ? "check the path"
			  : reason == EACCES ? "make it readable for the user that starts valkyrie"
					     : "check the file";
	return diagnose(diagnostic, VALK_ERROR_CONFIG, "cannot read %s %s: %s; %s", what, path, strerror(reason), fix);
}

/* Reads exactly `length` bytes; an errno, or ENODATA when the file ends early. */
static int read_exactly(int descriptor, uint8_t *bytes, size_t length)
{
	while (length > 0) {
		ssize_t count = read(descriptor, bytes, length);
		if (count < 0 && errno == EINTR)
			continue;
		if (count <= 0)
			return count < 0 ? errno : ENODATA;
		bytes += count;
		length -= (size_t)count;
	}
	return 0;
}

enum valk_error file_read(const char *what, const char *path, size_t limit, uint8_t **bytes, size_t *length,
			  struct valk_diagnostic *diagnostic)
{
	/* O_NONBLOCK: opening a FIFO must not hang the start. */
	int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (descriptor < 0)
		return explain_open(what, path, errno, diagnostic);
	struct stat status;
	enum valk_error error = VALK_OK;
	uint8_t *content = NULL;
	if (fstat(descriptor, &status) != 0)
		error = explain_open(what, path, errno, diagnostic);
	else if (!S_ISREG(status.st_mode))
		error = diagnose(diagnostic, VALK_ERROR_CONFIG, "cannot read %s %s: not a regular file; give a file",
				 what, path);
	else if ((uint64_t)status.st_size > limit)
		error = diagnose(diagnostic, VALK_ERROR_CONFIG,
				 "%s %s is too large: %lld bytes, at most %zu are allowed", what, path,
				 (long long)status.st_size, limit);
	else if ((content = malloc((size_t)status.st_size + 1)) == NULL)
		error = diagnose(diagnostic, VALK_ERROR_MEMORY, "cannot read %s %s: %lld bytes do not fit in memory",
				 what, path, (long long)status.st_size);
	if (content != NULL) {
		int reason = read_exactly(descriptor, content, (size_t)status.st_size);
		if (reason != 0)
			error = explain_open(what, path, reason, diagnostic);
	}
	close(descriptor);
	if (error != VALK_OK || content == NULL) {
		free(content);
		return error;
	}
	content[status.st_size] = '\0';
	*bytes = content;
	*length = (size_t)status.st_size;
	return VALK_OK;
}
