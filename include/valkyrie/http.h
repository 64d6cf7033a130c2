/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Requests, responses and handlers: what the protocols meet in. */
#ifndef VALKYRIE_HTTP_H
#define VALKYRIE_HTTP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Bytes of text without a NUL. */
struct valk_text {
	const char *bytes;
	size_t length; /* bytes */
};

/* One header field. In HTTP/2 names are lowercase (RFC 9113 section 8.2). */
struct valk_field {
	struct valk_text name;
	struct valk_text value;
};

/* Request methods of RFC 9110 section 9 and RFC 5789; anything else is VALK_METHOD_OTHER. */
enum valk_method {
	VALK_METHOD_OTHER,
	VALK_METHOD_GET,
	VALK_METHOD_HEAD,
	VALK_METHOD_POST,
	VALK_METHOD_PUT,
	VALK_METHOD_DELETE,
	VALK_METHOD_OPTIONS,
	VALK_METHOD_PATCH,
	VALK_METHOD_TRACE,
	VALK_METHOD_CONNECT,
};

/* A validated request head. Everything it points to lives until the handler returns; copy what must stay. */
struct valk_request {
	enum valk_method method;
	struct valk_text method_text;
	struct valk_text scheme;    /* "http" or "https" */
	struct valk_text authority; /* host and optional port; from :authority or Host */
	struct valk_text path;	    /* starts with "/", or is "*" for OPTIONS; holds the query */
	const struct valk_field *fields;
	size_t field_count;
	int64_t content_length; /* bytes the client announced; -1 when it did not */
	bool has_body;		/* content follows the head */
};

/* A response. The handler owns it and everything it points to; all of it stays unchanged until `release` is called, or,
 * where that is NULL, until the server is destroyed. The library adds date, server and content-length. */
struct valk_response {
	unsigned status; /* 200 to 599 (RFC 9110 section 15) */
	const struct valk_field *fields;
	size_t field_count;   /* at most VALK_RESPONSE_FIELDS_MAX */
	const uint8_t *body;  /* not sent for HEAD, 204 and 304 */
	uint64_t body_length; /* bytes */
	/* Called once on the worker that handled the request, when nothing refers to the response any more. */
	void (*release)(const struct valk_response *response);
};

enum { VALK_RESPONSE_FIELDS_MAX = 64 };

/* Answers requests. `handle` runs on a worker thread and must not block; it returns the response, or NULL for a 500.
 * A request body is read and discarded. */
struct valk_handler {
	const struct valk_response *(*handle)(void *context, const struct valk_request *request);
	void *context; /* passed to every call; shared by all workers */
};

#ifdef __cplusplus
}
#endif
#endif
