/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>

static const struct {
	const char *text;
	enum valk_scope scope;
} error_table[] = {
	[-VALK_OK] = {"no error", VALK_SCOPE_NONE},
	[-VALK_ERROR_AGAIN] = {"try again", VALK_SCOPE_NONE},
	[-VALK_ERROR_MEMORY] = {"out of memory", VALK_SCOPE_CONNECTION},
	[-VALK_ERROR_USAGE] = {"wrong usage", VALK_SCOPE_PROCESS},
	[-VALK_ERROR_CONFIG] = {"wrong configuration", VALK_SCOPE_PROCESS},
	[-VALK_ERROR_SYSTEM] = {"refused by the operating system", VALK_SCOPE_PROCESS},
	[-VALK_ERROR_TLS] = {"TLS failure", VALK_SCOPE_CONNECTION},
	[-VALK_ERROR_PROTOCOL] = {"protocol violation", VALK_SCOPE_CONNECTION},
	[-VALK_ERROR_LIMIT] = {"limit passed", VALK_SCOPE_CONNECTION},
	[-VALK_ERROR_CLOSED] = {"closed by the peer", VALK_SCOPE_CONNECTION},
};

static int is_known(enum valk_error error)
{
	return error <= 0 && (size_t)-error < sizeof(error_table) / sizeof(error_table[0]);
}

const char *valk_error_text(enum valk_error error)
{
	return is_known(error) ? error_table[-error].text : "unknown error";
}

enum valk_scope valk_error_scope(enum valk_error error)
{
	return is_known(error) ? error_table[-error].scope : VALK_SCOPE_PROCESS;
}

enum valk_error diagnose(struct valk_diagnostic *diagnostic, enum valk_error error, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(diagnostic->text, sizeof(diagnostic->text), format, arguments);
	va_end(arguments);
	for (char *c = diagnostic->text; *c != '\0'; c++) {
		if ((unsigned char)*c < 0x20 || *c == 0x7f)
			*c = '?'; /* a file name may hold anything; the message stays one line */
	}
	return error;
}
