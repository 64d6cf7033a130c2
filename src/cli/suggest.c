/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/suggest.h"

#include <string.h>

#include "cli/options.h"

enum { WORD_MAX = 40 };

static unsigned smallest(unsigned a, unsigned b, unsigned c)
{
	unsigned least = a < b ? a : b;
	return least < c ? least : c;
}

/* Edits (insert, delete, replace, swap neighbours) between two short words. */
static unsigned distance(const char *a, size_t a_length, const char *b, size_t b_length)
{
	unsigned rows[WORD_MAX + 1][WORD_MAX + 1];
	for (size_t i = 0; i <= a_length; i++)
		rows[i][0] = (unsigned)i;
	for (size_t j = 0; j <= b_length; j++)
		rows[0][j] = (unsigned)j;
	for (size_t i = 1; i <= a_length; i++) {
		for (size_t j = 1; j <= b_length; j++) {
			unsigned replaced = rows[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
			rows[i][j] = smallest(rows[i - 1][j] + 1, rows[i][j - 1] + 1, replaced);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
			    rows[i - 2][j - 2] + 1 < rows[i][j])
				rows[i][j] = rows[i - 2][j - 2] + 1;
		}
	}
	return rows[a_length][b_length];
}

const char *suggest_option(const char *word)
{
	const char *nearest = NULL;
	word += strspn(word, "-");
	size_t length = strcspn(word, "=");
	if (length == 0 || length > WORD_MAX)
		return NULL;
	unsigned best = length <= 4 ? 2 : 3; /* farther is no typing mistake */
	for (size_t i = 0; i < option_spec_count; i++) {
		const char *name = option_specs[i].name;
		unsigned edits = distance(word, length, name, strlen(name));
		if (edits < best) {
			best = edits;
			nearest = name;
		}
	}
	return nearest;
}
