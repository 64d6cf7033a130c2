/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fuzz/faulty_slab.h"

#include <stdlib.h>

static unsigned countdown;
static bool is_sticky;

void faulty_slab_fail(unsigned nth, bool sticky)
{
	countdown = nth;
	is_sticky = sticky;
}

static bool fails(void)
{
	if (countdown == 0)
		return false;
	if (countdown > 1) {
		countdown--;
		return false;
	}
	if (!is_sticky)
		countdown = 0;
	return true;
}

struct slab *slab_create(void)
{
	return malloc(1);
}

void slab_destroy(struct slab *slab)
{
	free(slab);
}

void *slab_allocate(struct slab *slab, size_t size)
{
	(void)slab;
	return fails() ? NULL : malloc(size > 0 ? size : 1);
}

void *slab_allocate_zeroed(struct slab *slab, size_t count, size_t size)
{
	(void)slab;
	return fails() ? NULL : calloc(count, size);
}

void *slab_resize(struct slab *slab, void *block, size_t size)
{
	(void)slab;
	return fails() ? NULL : realloc(block, size > 0 ? size : 1);
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
