/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE
#include "base/secret.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

uint8_t *secret_take(uint8_t **bytes, size_t length)
{
	uint8_t *secret = mmap(NULL, length + 1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (secret == MAP_FAILED) {
		secret = NULL;
	} else {
		(void)madvise(secret, length + 1, MADV_DONTDUMP);
		memcpy(secret, *bytes, length); /* fresh pages are zero: the NUL is there */
	}
	explicit_bzero(*bytes, length);
	free(*bytes);
	*bytes = NULL;
	return secret;
}

void secret_free(uint8_t *secret, size_t length)
{
	if (secret == NULL)
		return;
	explicit_bzero(secret, length);
	munmap(secret, length + 1);
}
