/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE
#include "support/memory_map.h"

#include <sys/uio.h>
#include <unistd.h>

#include "support/test.h"

/* Calls `visit` for each mapping that can be read and written. */
static void for_each_mapping(void (*visit)(void *context, uintptr_t start, uintptr_t end, bool dumped), void *context)
{
	char line[512];
	unsigned long start = 0, end = 0;
	char rights[8] = "";
	FILE *file = fopen("/proc/self/smaps", "re");
	assert_non_null(file);
	while (fgets(line, sizeof(line), file) != NULL) {
		unsigned long first, last;
		char seen[8];
		if (sscanf(line, "%lx-%lx %4s ", &first, &last, seen) == 3) {
			start = first;
			end = last;
			memcpy(rights, seen, sizeof(rights));
		} else if (strncmp(line, "VmFlags:", 8) == 0 && strncmp(rights, "rw", 2) == 0) {
			visit(context, start, end, strstr(line, " dd") == NULL);
		}
	}
	fclose(file);
}

struct lookup {
	uintptr_t address;
	bool dumped;
};

static void note_page(void *context, uintptr_t start, uintptr_t end, bool dumped)
{
	struct lookup *lookup = context;
	if (lookup->address >= start && lookup->address < end)
		lookup->dumped = dumped;
}

bool memory_is_dumped(const void *address)
{
	struct lookup lookup = {(uintptr_t)address, false};
	for_each_mapping(note_page, &lookup);
	return lookup.dumped;
}

struct search {
	const uint8_t *masked;
	size_t length;
	unsigned dumped;
	unsigned undumped;
};

static void search_mapping(void *context, uintptr_t start, uintptr_t end, bool dumped)
{
	struct search *search = context;
	enum { PIECE = 65536, MOST = 256 << 20 };
	static uint8_t piece[PIECE];
	if (end - start > MOST || ((uintptr_t)piece >= start && (uintptr_t)piece < end))
		return; /* shadow memory of a sanitizer; and this very buffer */
	for (uintptr_t at = start; at + search->length <= end; at += PIECE - search->length + 1) {
		size_t want = end - at < PIECE ? end - at : PIECE;
		struct iovec local = {piece, want}, remote = {(void *)at, want};
		ssize_t got = process_vm_readv(getpid(), &local, 1, &remote, 1, 0);
		for (ssize_t i = 0; i + (ssize_t)search->length <= got; i++) {
			size_t k = 0;
			while (k < search->length && (piece[i + (ssize_t)k] ^ MEMORY_MASK) == search->masked[k])
				k++;
			if (k == search->length)
				*(dumped ? &search->dumped : &search->undumped) += 1;
		}
	}
	memset(piece, 0, sizeof(piece));
}

unsigned memory_find(const uint8_t *masked, size_t length, unsigned *undumped)
{
	struct search search = {masked, length, 0, 0};
	for_each_mapping(search_mapping, &search);
	*undumped = search.undumped;
	return search.dumped;
}
