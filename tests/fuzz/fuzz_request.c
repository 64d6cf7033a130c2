/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Request heads: each line of an input is a field, its name up to the first tab. What is accepted must be safe to use.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "fuzz/fuzz.h"
#include "http/conditional.h"
#include "http/field.h"
#include "http/request_head.h"
#include "http/target.h"
#include "http/text.h"

/* What a handler may rely on once a head was accepted. */
static void check_accepted(const struct valk_request *request)
{
	if (request->method == VALK_METHOD_OTHER || request->method == VALK_METHOD_CONNECT)
		abort();
	if (request->path.length == 0 || (request->path.bytes[0] != '/' && request->path.bytes[0] != '*'))
		abort();
	for (size_t i = 0; i < request->path.length; i++) {
		unsigned char byte = (unsigned char)request->path.bytes[i];
		if (byte <= 0x20 || byte >= 0x7f || byte == '#')
			abort();
	}
	const char *query = memchr(request->path.bytes, '?', request->path.length);
	size_t length = query != NULL ? (size_t)(query - request->path.bytes) : request->path.length;
	if (memmem(request->path.bytes, length, "/../", 4) != NULL)
		abort();
	if (memchr(request->authority.bytes, '@', request->authority.length) != NULL || request->authority.length == 0)
		abort();
	if (request->content_length < -1)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct request_head_limits limits = {.list_bytes = 4096, .field_count = 20, .path_bytes = 1024};
	struct request_head *head = malloc(request_head_size(&limits) + 1);
	if (head == NULL)
		return 0;
	request_head_init(head, &limits);
	const char *at = (const char *)data, *end = at + size;
	while (at < end) {
		const char *line_end = memchr(at, '\n', (size_t)(end - at));
		if (line_end == NULL)
			line_end = end;
		const char *tab = memchr(at, '\t', (size_t)(line_end - at));
		struct valk_text name = {at, (size_t)((tab != NULL ? tab : line_end) - at)};
		struct valk_text value = {tab != NULL ? tab + 1 : line_end,
					  tab != NULL ? (size_t)(line_end - tab - 1) : 0};
		request_head_add(head, name, value);
		(void)field_name_is_valid(name);
		(void)field_value_is_valid(value);
		(void)http_date_parse(value.bytes, value.length);
		at = line_end + 1;
	}
	if (request_head_finish(head, (size & 1) != 0) == 0) {
		const struct validators validators = {TEXT("\"1234\""), 784111777};
		check_accepted(&head->request);
		(void)conditional_evaluate(&head->request, &validators);
	}
	free(head);
	return 0;
}
