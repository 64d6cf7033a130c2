/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/parse.h"

#include <string.h>

/* Reads the digits at `text` (up to `end`) and reports where they stop. False when there is none or it overflows. */
static bool read_digits(const char *text, const char *end, uint64_t *number, const char **rest)
{
	const char *at = text;
	uint64_t value = 0;
	for (; at < end && *at >= '0' && *at <= '9'; at++) {
		if (__builtin_mul_overflow(value, 10U, &value) ||
		    __builtin_add_overflow(value, (uint64_t)(*at - '0'), &value))
			return false;
	}
	*number = value;
	*rest = at;
	return at > text;
}

bool parse_number_bytes(const char *text, size_t length, uint64_t maximum, uint64_t *number)
{
	const char *rest;
	return read_digits(text, text + length, number, &rest) && rest == text + length && *number <= maximum;
}

bool parse_number(const char *text, uint64_t maximum, uint64_t *number)
{
	return parse_number_bytes(text, strlen(text), maximum, number);
}

struct unit {
	const char *suffix;
	uint64_t factor;
};

static bool parse_with_unit(const char *text, const struct unit *units, uint64_t *value)
{
	const char *rest;
	if (!read_digits(text, text + strlen(text), value, &rest))
		return false;
	for (; units->suffix != NULL; units++) {
		if (strcmp(rest, units->suffix) == 0)
			return !__builtin_mul_overflow(*value, units->factor, value);
	}
	return false;
}

bool parse_size(const char *text, uint64_t *bytes)
{
	static const struct unit units[] = {{"", 1},	    {"K", 1 << 10}, {"k", 1 << 10}, {"M", 1 << 20},
					    {"m", 1 << 20}, {"G", 1 << 30}, {"g", 1 << 30}, {NULL, 0}};
	return parse_with_unit(text, units, bytes);
}

bool parse_duration(const char *text, uint64_t *milliseconds)
{
	static const struct unit units[] = {{"", 1000},	  {"ms", 1},	  {"s", 1000},
					    {"m", 60000}, {"h", 3600000}, {NULL, 0}};
	return parse_with_unit(text, units, milliseconds);
}

size_t format_number(uint64_t number, char text[20])
{
	char reversed[20];
	size_t length = 0;
	do {
		reversed[length++] = (char)('0' + number % 10);
		number /= 10;
	} while (number > 0);
	for (size_t i = 0; i < length; i++)
		text[i] = reversed[length - 1 - i];
	return length;
}
