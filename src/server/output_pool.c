/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "server/output_pool.h"

#include <stdlib.h>

bool output_pool_take(struct output_pool *pool, struct buffer *buffer)
{
	uint8_t *storage = pool->spare_count > 0 ? pool->spares[--pool->spare_count] : malloc(OUTPUT_CAPACITY);
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
		free(buffer->data);
	buffer_init(buffer, NULL, 0);
}

void output_pool_dispose(struct output_pool *pool)
{
	while (pool->spare_count > 0)
		free(pool->spares[--pool->spare_count]);
}
