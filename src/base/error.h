/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef BASE_ERROR_H
#define BASE_ERROR_H

#include "valkyrie/error.h"

/* Writes one formatted line into `diagnostic` (cut at its size, control characters replaced) and returns `error`, so
 * that a failing function can end with `return diagnose(...)`. Any thread. */
enum valk_error diagnose(struct valk_diagnostic *diagnostic, enum valk_error error, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#endif
