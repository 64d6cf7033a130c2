/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "http2/http2_context.h"

#include <stdio.h>
#include <string.h>

#include "http2/http2_callbacks.h"
#include "http2/http2_options.h"

static void *allocate(size_t size, void *slab)
{
	return slab_allocate(slab, size);
}

static void release(void *block, void *slab)
{
	slab_free(slab, block);
}

static void *allocate_zeroed(size_t count, size_t size, void *slab)
{
	return slab_allocate_zeroed(slab, count, size);
}

static void *resize(void *block, size_t size, void *slab)
{
	return slab_resize(slab, block, size);
}

enum valk_error http2_context_init(struct http2_context *context, struct slab *slab, const struct valk_limits *limits,
				   const struct valk_handler *handler, const struct http2_observer *observer,
				   const char *date, const char *server_name)
{
	memset(context, 0, sizeof(*context));
	context->slab = slab;
	context->limits = *limits;
	context->head_limits = (struct request_head_limits){
		.list_bytes = limits->header_bytes,
		.field_count = limits->header_fields,
		.path_bytes = limits->header_bytes / 4,
	};
	context->handler = *handler;
	context->observer = *observer;
	context->date = date;
	if (server_name != NULL)
		context->server_name = (struct valk_text){server_name, strlen(server_name)};
	context->memory = (nghttp2_mem){slab, allocate, release, allocate_zeroed, resize};
	if (nghttp2_session_callbacks_new(&context->callbacks) != 0 || nghttp2_option_new(&context->options) != 0) {
		http2_context_dispose(context);
		return VALK_ERROR_MEMORY;
	}
	http2_callbacks_set(context->callbacks);
	http2_options_set(context->options, limits);
	return VALK_OK;
}

void http2_context_dispose(struct http2_context *context)
{
	nghttp2_session_callbacks_del(context->callbacks);
	nghttp2_option_del(context->options);
	slab_free(context->slab, context->spare_head);
	context->callbacks = NULL;
	context->options = NULL;
	context->spare_head = NULL;
}

struct request_head *http2_context_take_head(struct http2_context *context)
{
	struct request_head *head = context->spare_head;
	context->spare_head = NULL;
	if (head == NULL)
		head = slab_allocate(context->slab, request_head_size(&context->head_limits));
	if (head != NULL)
		request_head_init(head, &context->head_limits);
	return head;
}

void http2_context_return_head(struct http2_context *context, struct request_head *head)
{
	if (head == NULL)
		return;
	if (context->spare_head == NULL)
		context->spare_head = head;
	else
		slab_free(context->slab, head);
}

void http2_library_version(char *text, size_t size)
{
	snprintf(text, size, "nghttp2 %s", nghttp2_version(0)->version_str);
}
