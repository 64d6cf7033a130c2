/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "server/output_pool.h"

void output_pool_init(struct output_pool *pool, struct slab *slab)
{
	pool->slab = slab;
	pool->spare_count = 0;
}

bool output_pool_take(struct output_pool *pool, struct buffer *buffer)
{
	uint8_t *storage =
		pool->spare_count > 0 ? pool->spares[--pool->spare_count] : slab_allocate(pool->slab, OUTPUT_CAPACITY);
	if (storage == NULL)
		return false;
	buffer_init(buffer, storage, OUTPUT_CAPACITY);
	return true;
}

void output_pool_return(struct output_pool *pool, struct buffer *buffer)
{
	if (buffer->data != NULL && pool->spare_count < OUTPUT_SPARES_MAX)
		pool->spares[pool->spare_count++] = buffer->data;
	else
		slab_free(pool->slab, buffer->data);
	buffer_init(buffer, NULL, 0);
}

void output_pool_dispose(struct output_pool *pool)
{
	while (pool->spare_count > 0)
		slab_free(pool->slab, pool->spares[--pool->spare_count]);
}
