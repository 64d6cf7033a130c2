/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Time: a monotonic clock in milliseconds and the text of the Date header. */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <stddef.h>
#include <stdint.h>
#include <time.h>

enum { HTTP_DATE_LENGTH = 29 }; /* "Sun, 06 Nov 1994 08:49:37 GMT", RFC 9110 section 5.6.7 */

/* Milliseconds of the monotonic clock; its zero means nothing. Any thread. */
uint64_t clock_monotonic_ms(void);

/* Writes `seconds` since 1970 as an IMF-fixdate (RFC 9110 section 5.6.7) and a NUL. Any thread. */
void http_date_format(time_t seconds, char text[HTTP_DATE_LENGTH + 1]);

/* Parses an IMF-fixdate of exactly HTTP_DATE_LENGTH bytes; -1 when it is not one. The two obsolete forms are not
 * accepted: a recipient may ignore a conditional it cannot parse (RFC 9110 section 13.1.3). Any thread. */
time_t http_date_parse(const char *text, size_t length);

#endif
