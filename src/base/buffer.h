/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Byte queue with a fixed capacity: written at the end, read at the front. One thread. */
#ifndef BASE_BUFFER_H
#define BASE_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Invariant: start <= end <= capacity. The readable bytes are data[start, end). */
struct buffer {
	uint8_t *data;
	size_t start;	 /* bytes */
	size_t end;	 /* bytes */
	size_t capacity; /* bytes; never grows */
};

/* Makes `buffer` an empty queue over the caller's `storage` of `capacity` bytes, which must outlive it. */
void buffer_init(struct buffer *buffer, uint8_t *storage, size_t capacity);

/* Bytes that wait to be read. */
static inline size_t buffer_length(const struct buffer *buffer)
{
	return buffer->end - buffer->start;
}

/* Bytes that can be appended at `buffer_tail` without moving anything. */
static inline size_t buffer_room(const struct buffer *buffer)
{
	return buffer->capacity - buffer->end;
}

/* Where the next appended byte goes. Pair with `buffer_commit`. */
static inline uint8_t *buffer_tail(struct buffer *buffer)
{
	return buffer->data + buffer->end;
}

/* First readable byte. */
static inline const uint8_t *buffer_head(const struct buffer *buffer)
{
	return buffer->data + buffer->start;
}

/* Counts `length` bytes, written at `buffer_tail`, as appended. `length` must not exceed `buffer_room`. */
void buffer_commit(struct buffer *buffer, size_t length);

/* Copies `length` bytes to the end. False, and nothing changed, when they do not fit. */
bool buffer_append(struct buffer *buffer, const void *bytes, size_t length) __attribute__((warn_unused_result));

/* Drops `length` read bytes from the front; an emptied buffer starts over at its beginning. `length` must not exceed
 * `buffer_length`. */
void buffer_consume(struct buffer *buffer, size_t length);

/* Drops everything. */
static inline void buffer_clear(struct buffer *buffer)
{
	buffer->start = 0;
	buffer->end = 0;
}

#endif
