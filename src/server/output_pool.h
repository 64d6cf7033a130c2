/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Output buffers of one size. The worker writes into one; when a socket does not take all of it, the connection keeps
 * the buffer and the worker takes another, so that unsent bytes are never copied. One thread. */
#ifndef SERVER_OUTPUT_POOL_H
#define SERVER_OUTPUT_POOL_H

#include "base/buffer.h"
#include "base/slab.h"

enum {
	OUTPUT_BATCH =
		32 * 1024, /* bytes produced before one send(); measured best for large bodies: stays in the cache */
	OUTPUT_CAPACITY = 128 * 1024, /* a batch, one record above it, and a handshake flight with the longest chain */
	OUTPUT_SPARES_MAX = 4,	      /* kept for the next slow readers; more than these go back to the system */
};

struct output_pool {
	struct slab *slab;
	unsigned spare_count;
	uint8_t *spares[OUTPUT_SPARES_MAX];
};

/* An empty pool whose storage comes from `slab`, which must outlive it. */
void output_pool_init(struct output_pool *pool, struct slab *slab);

/* Gives `buffer` an empty storage of OUTPUT_CAPACITY bytes. False when out of memory. */
bool output_pool_take(struct output_pool *pool, struct buffer *buffer) __attribute__((warn_unused_result));

/* Takes a buffer's storage back and leaves the buffer without one. Harmless on a buffer without storage. */
void output_pool_return(struct output_pool *pool, struct buffer *buffer);

/* Frees the spares. */
void output_pool_dispose(struct output_pool *pool);

#endif
