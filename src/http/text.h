/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Comparisons of text slices. Any thread. */
#ifndef HTTP_TEXT_H
#define HTTP_TEXT_H

#include <string.h>
#include <strings.h>

#include "valkyrie/http.h"

/* A slice of a string literal. */
#define TEXT(literal) ((struct valk_text){literal, sizeof(literal) - 1})

/* Byte for byte equality. */
static inline bool text_equals(struct valk_text a, struct valk_text b)
{
	return a.length == b.length && memcmp(a.bytes, b.bytes, a.length) == 0;
}

/* Equality that ignores the case of ASCII letters. */
static inline bool text_equals_ignoring_case(struct valk_text a, struct valk_text b)
{
	return a.length == b.length && strncasecmp(a.bytes, b.bytes, a.length) == 0;
}

#endif
