/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Memory for keys: on pages of its own, left out of core files, and wiped before it is given back. Any thread. */
#ifndef BASE_SECRET_H
#define BASE_SECRET_H

#include <stddef.h>
#include <stdint.h>

/* Moves `length` bytes and a NUL behind them from the heap block `*bytes` into such memory; the block is wiped, freed
 * and nulled, also on failure. NULL when out of memory. Freed by secret_free with the same length. */
uint8_t *secret_take(uint8_t **bytes, size_t length) __attribute__((warn_unused_result));

/* Wipes and frees. NULL is allowed. */
void secret_free(uint8_t *secret, size_t length);

#endif
