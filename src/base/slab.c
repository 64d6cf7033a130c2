/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE
#include "base/slab.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/list.h"

enum {
	CHUNK_SIZE = 64 * 1024, /* also its alignment: a block finds its chunk by masking its address */
	CHUNK_HEADER = 64,
	CLASS_COUNT = 26,
	GRANULE = 16,		   /* every class is a multiple: 16-byte alignment */
	SMALL_LIMIT = 1024,	   /* sizes up to here find their class by one table look-up */
	LARGE_CLASS = CLASS_COUNT, /* a block of its own mapping size, outside the classes */
	SPARE_CHUNKS_KEPT = 8,	   /* half a MiB: rides out the ebb of a busy worker without system calls */
};

/* Sizes chosen after what nghttp2 and wolfSSL ask for: a stream, a header pair, an outbound item, a handshake's
 * buffers, and at the end nghttp2's 16 KiB frame buffer, of which three fit a chunk. */
static const uint16_t class_sizes[CLASS_COUNT] = {
	16,  32,  48,	64,   80,   96,	  128,	160,  208,  256,  320,	400,   544,
	704, 864, 1024, 1408, 1792, 2048, 2944, 3584, 4096, 6144, 8192, 12288, 21824,
};

struct free_block {
	struct free_block *next;
};

/* Start of every chunk. Invariant: `used` blocks are handed out; the chunk is linked in its class's `partial` ring
 * exactly when it has a free block. */
struct chunk {
	struct list node;
	struct free_block *free;
	uint32_t used;
	uint32_t bump; /* bytes: blocks at and after this offset were never handed out, so their pages are untouched */
	uint32_t block_size;
	uint32_t class_index;
	size_t mapped_bytes;
};

_Static_assert(sizeof(struct chunk) <= CHUNK_HEADER, "chunk header must fit its room");

struct slab {
	struct list partial[CLASS_COUNT];
	struct list spare;
	size_t spare_count;
	size_t footprint_bytes;
	struct list all_large;
	struct list full; /* chunks without a free block, kept only so that destroy finds them */
	uint8_t class_of_granule[SMALL_LIMIT / GRANULE + 1];
};

static unsigned find_class(size_t size)
{
	unsigned index = 0;
	while (index < CLASS_COUNT && class_sizes[index] < size)
		index++;
	return index;
}

struct slab *slab_create(void)
{
	struct slab *slab = calloc(1, sizeof(*slab));
	if (slab == NULL)
		return NULL;
	for (unsigned i = 0; i < CLASS_COUNT; i++)
		list_init(&slab->partial[i]);
	list_init(&slab->spare);
	list_init(&slab->all_large);
	list_init(&slab->full);
	for (unsigned i = 0; i <= SMALL_LIMIT / GRANULE; i++)
		slab->class_of_granule[i] = (uint8_t)find_class((size_t)i * GRANULE);
	return slab;
}

/* Maps `size` bytes (a multiple of CHUNK_SIZE) aligned to CHUNK_SIZE; NULL when the system refuses. */
static struct chunk *map_chunk(struct slab *slab, size_t size)
{
	size_t reserved = size + CHUNK_SIZE;
	uint8_t *base = mmap(NULL, reserved, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (base == MAP_FAILED)
		return NULL;
	uint8_t *aligned = (uint8_t *)(((uintptr_t)base + CHUNK_SIZE - 1) & ~(uintptr_t)(CHUNK_SIZE - 1));
	size_t before = (size_t)(aligned - base);
	if (before > 0)
		munmap(base, before);
	munmap(aligned + size, CHUNK_SIZE - before);
	(void)madvise(aligned, size, MADV_DONTDUMP); /* keys and requests have no place in a core file */
	struct chunk *chunk = (struct chunk *)(void *)aligned;
	chunk->mapped_bytes = size;
	slab->footprint_bytes += size;
	return chunk;
}

static void unmap_chunk(struct slab *slab, struct chunk *chunk)
{
	slab->footprint_bytes -= chunk->mapped_bytes;
	munmap(chunk, chunk->mapped_bytes);
}

static void unmap_ring(struct slab *slab, struct list *ring)
{
	while (!list_is_empty(ring)) {
		struct chunk *chunk = list_entry(ring->next, struct chunk, node);
		list_remove(&chunk->node);
		unmap_chunk(slab, chunk);
	}
}

void slab_destroy(struct slab *slab)
{
	if (slab == NULL)
		return;
	for (unsigned i = 0; i < CLASS_COUNT; i++)
		unmap_ring(slab, &slab->partial[i]);
	unmap_ring(slab, &slab->spare);
	unmap_ring(slab, &slab->full);
	unmap_ring(slab, &slab->all_large);
	free(slab);
}

static void *allocate_large(struct slab *slab, size_t size)
{
	if (size > SIZE_MAX / 2)
		return NULL;
	size_t mapped = (size + CHUNK_HEADER + CHUNK_SIZE - 1) & ~(size_t)(CHUNK_SIZE - 1);
	struct chunk *chunk = map_chunk(slab, mapped);
	if (chunk == NULL)
		return NULL;
	chunk->class_index = LARGE_CLASS;
	list_init(&chunk->node);
	list_append(&slab->all_large, &chunk->node);
	return (uint8_t *)chunk + CHUNK_HEADER;
}

/* A chunk with room for the class, linked as its first partial one. */
static struct chunk *open_chunk(struct slab *slab, unsigned class_index)
{
	struct chunk *chunk;
	if (!list_is_empty(&slab->spare)) {
		chunk = list_entry(slab->spare.next, struct chunk, node);
		list_remove(&chunk->node);
		slab->spare_count--;
	} else {
		chunk = map_chunk(slab, CHUNK_SIZE);
		if (chunk == NULL)
			return NULL;
	}
	chunk->free = NULL;
	chunk->used = 0;
	chunk->bump = CHUNK_HEADER;
	chunk->block_size = class_sizes[class_index];
	chunk->class_index = class_index;
	list_init(&chunk->node);
	list_append(&slab->partial[class_index], &chunk->node);
	return chunk;
}

static int chunk_is_full(const struct chunk *chunk)
{
	return chunk->free == NULL && chunk->bump + chunk->block_size > CHUNK_SIZE;
}

void *slab_allocate(struct slab *slab, size_t size)
{
	if (slab == NULL)
		return malloc(size);
	unsigned class_index =
		size <= SMALL_LIMIT ? slab->class_of_granule[(size + GRANULE - 1) / GRANULE] : find_class(size);
	if (class_index == LARGE_CLASS)
		return allocate_large(slab, size);
	struct chunk *chunk;
	if (!list_is_empty(&slab->partial[class_index]))
		chunk = list_entry(slab->partial[class_index].next, struct chunk, node);
	else if ((chunk = open_chunk(slab, class_index)) == NULL)
		return NULL;
	void *block;
	if (chunk->free != NULL) {
		block = chunk->free;
		chunk->free = chunk->free->next;
	} else {
		block = (uint8_t *)chunk + chunk->bump;
		chunk->bump += chunk->block_size;
	}
	chunk->used++;
	if (chunk_is_full(chunk))
		list_move_to_tail(&slab->full, &chunk->node);
	return block;
}

void *slab_allocate_zeroed(struct slab *slab, size_t count, size_t size)
{
	size_t total;
	if (__builtin_mul_overflow(count, size, &total))
		return NULL;
	void *block = slab_allocate(slab, total);
	if (block != NULL)
		memset(block, 0, total);
	return block;
}

static struct chunk *chunk_of(const void *block)
{
	return (struct chunk *)((uintptr_t)block & ~(uintptr_t)(CHUNK_SIZE - 1));
}

/* Keeps an emptied chunk for any class, or gives it back when enough are kept. */
static void retire_chunk(struct slab *slab, struct chunk *chunk)
{
	list_remove(&chunk->node);
	if (slab->spare_count >= SPARE_CHUNKS_KEPT) {
		unmap_chunk(slab, chunk);
		return;
	}
	list_append(&slab->spare, &chunk->node);
	slab->spare_count++;
}

void slab_free(struct slab *slab, void *block)
{
	if (block == NULL)
		return;
	if (slab == NULL) {
		free(block);
		return;
	}
	struct chunk *chunk = chunk_of(block);
	if (chunk->class_index == LARGE_CLASS) {
		list_remove(&chunk->node);
		unmap_chunk(slab, chunk);
		return;
	}
	struct list *partial = &slab->partial[chunk->class_index];
	if (chunk_is_full(chunk))
		list_move_to_tail(partial, &chunk->node);
	struct free_block *freed = block;
	freed->next = chunk->free;
	chunk->free = freed;
	chunk->used--;
	/* The last partial chunk of a class stays, so that one block coming and going does not cycle its chunk. */
	if (chunk->used == 0 && partial->next != partial->previous)
		retire_chunk(slab, chunk);
}

void *slab_resize(struct slab *slab, void *block, size_t size)
{
	if (slab == NULL)
		return realloc(block, size);
	if (block == NULL)
		return slab_allocate(slab, size);
	const struct chunk *chunk = chunk_of(block);
	size_t old_size = chunk->class_index == LARGE_CLASS ? chunk->mapped_bytes - CHUNK_HEADER : chunk->block_size;
	if (size <= old_size && size > old_size / 4)
		return block;
	void *moved = slab_allocate(slab, size);
	if (moved == NULL)
		return NULL;
	memcpy(moved, block, size < old_size ? size : old_size);
	slab_free(slab, block);
	return moved;
}

size_t slab_footprint(const struct slab *slab)
{
	return slab->footprint_bytes;
}
