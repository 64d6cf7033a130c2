/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE
#include "base/clock.h"

#include <stdio.h>
#include <string.h>

static const char day_names[] = "SunMonTueWedThuFriSat";
static const char month_names[] = "JanFebMarAprMayJunJulAugSepOctNovDec";

uint64_t clock_monotonic_ms(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

static void put_digits(char *at, int value, int width)
{
	for (int i = width - 1; i >= 0; i--) {
		at[i] = (char)('0' + value % 10);
		value /= 10;
	}
}

void http_date_format(time_t seconds, char text[HTTP_DATE_LENGTH + 1])
{
	/* Not strftime: its names follow the locale. */
	struct tm utc;
	memcpy(text, "Thu, 01 Jan 1970 00:00:00 GMT", HTTP_DATE_LENGTH + 1);
	if (gmtime_r(&seconds, &utc) == NULL || utc.tm_year + 1900 > 9999)
		return;
	memcpy(text, day_names + utc.tm_wday * 3, 3);
	put_digits(text + 5, utc.tm_mday, 2);
	memcpy(text + 8, month_names + utc.tm_mon * 3, 3);
	put_digits(text + 12, utc.tm_year + 1900, 4);
	put_digits(text + 17, utc.tm_hour, 2);
	put_digits(text + 20, utc.tm_min, 2);
	put_digits(text + 23, utc.tm_sec, 2);
}

time_t http_date_parse(const char *text, size_t length)
{
	char copy[HTTP_DATE_LENGTH + 1];
	char month[4];
	struct tm utc = {0};
	int consumed = 0;
	if (length != HTTP_DATE_LENGTH || memchr(text, '\0', length) != NULL)
		return -1;
	memcpy(copy, text, length);
	copy[length] = '\0';
	if (sscanf(copy, "%*3[A-Za-z], %2d %3[A-Za-z] %4d %2d:%2d:%2d GMT%n", &utc.tm_mday, month, &utc.tm_year,
		   &utc.tm_hour, &utc.tm_min, &utc.tm_sec, &consumed) != 6 ||
	    consumed != HTTP_DATE_LENGTH)
		return -1;
	const char *found = strstr(month_names, month);
	if (found == NULL || (found - month_names) % 3 != 0)
		return -1;
	utc.tm_mon = (int)(found - month_names) / 3;
	utc.tm_year -= 1900;
	return timegm(&utc);
}
