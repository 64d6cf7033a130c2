/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The test's own process as the kernel sees it. */
#ifndef SUPPORT_MEMORY_MAP_H
#define SUPPORT_MEMORY_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* True when the page of `address` would be in a core file. */
bool memory_is_dumped(const void *address);

/* Looks for `length` bytes, given XORed with MEMORY_MASK so that the search does not find itself, in every writable
 * mapping. Returns how often they are in pages that would be in a core file, and counts the others in `*undumped`. */
enum { MEMORY_MASK = 0x5a };
unsigned memory_find(const uint8_t *masked, size_t length, unsigned *undumped);

#endif
