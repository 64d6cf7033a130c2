/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Per-thread allocator with size classes: free lists inside 64 KiB chunks, no lock, no header per block.
 * Serves nghttp2's and wolfSSL's many small allocations. A chunk whose blocks are all free goes back to the system,
 * so that the memory of an attack does not stay. In sanitizer builds the same interface is plain malloc
 * (slab_system.c), so that the sanitizers see every block. */
#ifndef BASE_SLAB_H
#define BASE_SLAB_H

#include <stddef.h>

struct slab;

/* Creates an allocator for the calling thread. NULL when out of memory. The caller destroys it. */
struct slab *slab_create(void);

/* Gives all memory back, whether its blocks were freed or not. NULL is allowed. */
void slab_destroy(struct slab *slab);

/* A block of at least `size` bytes (0 is allowed), 16-byte aligned, or NULL when out of memory. Freed by `slab_free`
 * with the same allocator. Only the owning thread. `slab` NULL means the process's malloc. */
void *slab_allocate(struct slab *slab, size_t size) __attribute__((malloc, warn_unused_result));

/* As `slab_allocate` for `count` × `size` bytes (overflow is checked), zeroed. */
void *slab_allocate_zeroed(struct slab *slab, size_t count, size_t size) __attribute__((malloc, warn_unused_result));

/* Resizes `block` (NULL: allocates). On failure NULL is returned and `block` is unchanged. */
void *slab_resize(struct slab *slab, void *block, size_t size) __attribute__((warn_unused_result));

/* Frees a block of the same allocator; NULL is allowed. */
void slab_free(struct slab *slab, void *block);

/* Bytes of chunks held from the system now. */
size_t slab_footprint(const struct slab *slab);

#endif
