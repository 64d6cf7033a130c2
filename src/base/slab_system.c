/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The slab interface on plain malloc, compiled instead of slab.c in sanitizer builds. */
#include <stdlib.h>

#include "base/slab.h"

struct slab {
	char unused;
};

struct slab *slab_create(void)
{
	return calloc(1, sizeof(struct slab));
}

void slab_destroy(struct slab *slab)
{
	free(slab);
}

void *slab_allocate(struct slab *slab, size_t size)
{
	(void)slab;
	return malloc(size > 0 ? size : 1);
}

void *slab_allocate_zeroed(struct slab *slab, size_t count, size_t size)
{
	(void)slab;
	return calloc(count, size);
}

void *slab_resize(struct slab *slab, void *block, size_t size)
{
	(void)slab;
	return realloc(block, size > 0 ? size : 1); /* never a free in disguise */
}

void slab_free(struct slab *slab, void *block)
{
	(void)slab;
	free(block);
}

size_t slab_footprint(const struct slab *slab)
{
	(void)slab;
	return 0;
}
