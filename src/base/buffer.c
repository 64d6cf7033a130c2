/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/buffer.h"

#include <assert.h>
#include <string.h>

void buffer_init(struct buffer *buffer, uint8_t *storage, size_t capacity)
{
	buffer->data = storage;
	buffer->capacity = capacity;
	buffer_clear(buffer);
}

void buffer_commit(struct buffer *buffer, size_t length)
{
	assert(length <= buffer_room(buffer));
	buffer->end += length;
}

bool buffer_append(struct buffer *buffer, const void *bytes, size_t length)
{
	if (length > buffer_room(buffer))
		return false;
	if (length > 0)
		memcpy(buffer_tail(buffer), bytes, length);
	buffer->end += length;
	return true;
}

void buffer_consume(struct buffer *buffer, size_t length)
{
	assert(length <= buffer_length(buffer));
	buffer->start += length;
	if (buffer->start == buffer->end)
		buffer_clear(buffer);
}
