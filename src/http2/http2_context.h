/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What all HTTP/2 sessions of one worker share. */
#ifndef HTTP2_CONTEXT_H
#define HTTP2_CONTEXT_H

#include <nghttp2/nghttp2.h>

#include "base/clock.h"
#include "base/counter.h"
#include "base/error.h"
#include "base/slab.h"
#include "http/refusal.h"
#include "http/request_head.h"
#include "valkyrie/limits.h"

/* Sums over all sessions of the worker; only its thread writes them. */
struct http2_counters {
	struct counter requests;
	struct counter responses[6]; /* by the first digit of the status */
	struct counter body_bytes;   /* of responses, sent */
};

/* What a session reports upward. `owner` is the pointer its session was created with. */
struct http2_observer {
	/* Something was refused; `stream_id` is 0 when the whole connection is meant. */
	void (*on_refusal)(void *owner, enum refusal refusal, int32_t stream_id, const char *detail);
};

/* Read by the sessions; one thread. */
struct http2_context {
	nghttp2_session_callbacks *callbacks;
	nghttp2_option *options;
	nghttp2_mem memory;
	struct slab *slab;
	struct valk_limits limits;
	struct request_head_limits head_limits; /* L6, as the head wants them */
	struct valk_handler handler;
	struct http2_observer observer;
	struct http2_counters counters;
	struct request_head *spare_head; /* one kept for the next request: nearly always the only one in use */
	const char *date;		 /* HTTP_DATE_LENGTH bytes, renewed in place by the owner */
	struct valk_text server_name;	 /* value of the server field; NULL bytes leave it out */
};

/* Sets up callbacks and options. `limits`, `handler` and `observer` are copied; `slab`, `date` and `server_name` must
 * outlive the context. VALK_ERROR_MEMORY. The caller disposes it. */
enum valk_error http2_context_init(struct http2_context *context, struct slab *slab, const struct valk_limits *limits,
				   const struct valk_handler *handler, const struct http2_observer *observer,
				   const char *date, const char *server_name) __attribute__((warn_unused_result));

/* Frees what init made; when all sessions are destroyed. */
void http2_context_dispose(struct http2_context *context);

/* An empty request head with the context's limits, or NULL when out of memory. Goes back by _return_head. */
struct request_head *http2_context_take_head(struct http2_context *context);

/* Takes a head back. NULL is allowed. */
void http2_context_return_head(struct http2_context *context, struct request_head *head);

/* Version of the linked library, for example "nghttp2 1.52.0". Writes to `text`. */
void http2_library_version(char *text, size_t size);

#endif
