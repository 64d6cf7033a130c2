/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Intrusive doubly linked list: the node lives inside its owner, so linking never allocates. One thread. */
#ifndef BASE_LIST_H
#define BASE_LIST_H

#include <stdbool.h>
#include <stddef.h>

/* A node, and also the head of a ring. An unlinked node points at itself. */
struct list {
	struct list *next;
	struct list *previous;
};

/* The struct of type `type` whose member `member` is `node`. */
#define list_entry(node, type, member) ((type *)(void *)((char *)(node)-offsetof(type, member)))

/* Makes `list` an empty head or an unlinked node. */
static inline void list_init(struct list *list)
{
	list->next = list;
	list->previous = list;
}

/* True for an empty head and for an unlinked node. */
static inline bool list_is_empty(const struct list *list)
{
	return list->next == list;
}

/* Links `node`, which must be unlinked, before `head`: at the tail of the ring. */
static inline void list_append(struct list *head, struct list *node)
{
	node->next = head;
	node->previous = head->previous;
	head->previous->next = node;
	head->previous = node;
}

/* Unlinks `node`; harmless when it is unlinked already. */
static inline void list_remove(struct list *node)
{
	node->previous->next = node->next;
	node->next->previous = node->previous;
	list_init(node);
}

/* Moves `node` to the tail of `head`'s ring, from wherever it is linked. */
static inline void list_move_to_tail(struct list *head, struct list *node)
{
	list_remove(node);
	list_append(head, node);
}

#endif
