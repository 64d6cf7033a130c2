/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cmocka with what it needs before it. */
#ifndef SUPPORT_TEST_H
#define SUPPORT_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Fails the test with both texts unless `text` holds `part`. */
#define assert_contains(text, part)                                                                                    \
	do {                                                                                                           \
		if (strstr((text), (part)) == NULL)                                                                    \
			fail_msg("expected to find \"%s\" in:\n%s", (part), (text));                                   \
	} while (0)

#endif
