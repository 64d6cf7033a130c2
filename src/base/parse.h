/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Numbers, sizes and durations as text. Any thread. */
#ifndef BASE_PARSE_H
#define BASE_PARSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Parses a whole decimal number of at most `maximum`. False for anything else: sign, space, empty, trailing text. */
bool parse_number(const char *text, uint64_t maximum, uint64_t *number) __attribute__((warn_unused_result));

/* Parses the first `length` bytes at `text` the same way; they need no NUL. */
bool parse_number_bytes(const char *text, size_t length, uint64_t maximum, uint64_t *number)
	__attribute__((warn_unused_result));

/* Parses a size in bytes: an integer with an optional K, M or G (powers of 1024, either case). */
bool parse_size(const char *text, uint64_t *bytes) __attribute__((warn_unused_result));

/* Parses a duration into milliseconds: an integer with ms, s, m or h; a bare one counts seconds. */
bool parse_duration(const char *text, uint64_t *milliseconds) __attribute__((warn_unused_result));

/* Writes `number` in decimal to `text` (no NUL) and returns its length, at most 20 bytes. */
size_t format_number(uint64_t number, char text[20]);

#endif
