/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLI_SUGGEST_H
#define CLI_SUGGEST_H

/* The option whose name is nearest to the mistyped `word` ("--prot=1"), without dashes, or NULL when none is near.
 * Static storage. */
const char *suggest_option(const char *word);

#endif
