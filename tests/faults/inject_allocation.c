/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Allocations that fail. The linker (--wrap) turns malloc into __wrap_malloc in everything that is linked statically.
 */
#include <stdatomic.h>
#include <stddef.h>

#include "faults/inject.h"
#include "faults/inject_state.h"

static __thread bool thread_is_exempt;
static atomic_int countdown; /* to the failing allocation; 0: none */
static atomic_bool is_sticky;
static atomic_bool has_happened;

void inject_exempt(bool exempt)
{
	thread_is_exempt = exempt;
}

bool inject_is_exempt(void)
{
	return thread_is_exempt;
}

void inject_set_happened(bool happened)
{
	atomic_store(&has_happened, happened);
}

bool inject_happened(void)
{
	return atomic_load(&has_happened);
}

void inject_allocation(unsigned nth, bool sticky)
{
	inject_set_happened(false);
	atomic_store(&is_sticky, sticky);
	atomic_store(&countdown, (int)nth);
}

static bool allocation_fails(void)
{
	if (thread_is_exempt)
		return false;
	int left = atomic_load(&countdown);
	if (left == 0)
		return false;
	if (left > 1) {
		atomic_compare_exchange_strong(&countdown, &left, left - 1);
		return false;
	}
	if (!atomic_load(&is_sticky))
		atomic_store(&countdown, 0);
	inject_set_happened(true);
	return true;
}

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *block, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *block, size_t size);

void *__wrap_malloc(size_t size)
{
	return allocation_fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
	return allocation_fails() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *block, size_t size)
{
	return allocation_fails() ? NULL : __real_realloc(block, size);
}
