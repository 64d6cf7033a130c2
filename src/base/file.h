/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* Reads a whole regular file of at most `limit` bytes. On success the caller frees `*bytes`, which ends with a NUL that
 * `*length` does not count. VALK_ERROR_CONFIG with a diagnostic that begins with `what` (for example "certificate") and
 * names file, reason and fix; VALK_ERROR_MEMORY. Blocks; for start-up only. */
enum valk_error file_read(const char *what, const char *path, size_t limit, uint8_t **bytes, size_t *length,
			  struct valk_diagnostic *diagnostic) __attribute__((warn_unused_result));

#endif
