/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A handler that answers every request with one prepared response. */
#ifndef VALKYRIE_STATIC_RESPONSE_H
#define VALKYRIE_STATIC_RESPONSE_H

#include <time.h>

#include "valkyrie/error.h"
#include "valkyrie/http.h"

#ifdef __cplusplus
extern "C" {
#endif

struct valk_static_response;

/* What to answer. Everything is read during creation only, except `body`. */
struct valk_static_config {
	unsigned status;		 /* 200 to 599; 0 means 200 */
	const char *content_type;	 /* NULL leaves the field out */
	const struct valk_field *fields; /* more response fields; any case */
	size_t field_count;
	const uint8_t *body;  /* borrowed: must stay unchanged until destroy */
	size_t body_length;   /* bytes */
	time_t last_modified; /* seconds since 1970; 0 leaves the field out */
	bool etag;	      /* add an entity-tag made of the body; costs, for HPACK never indexes it */
};

/* Prepares the responses: for GET, HEAD and POST the configured one with its validators (304 and 412 for conditional
 * requests, RFC 9110 section 13, where the status is 200), for OPTIONS 204, for other methods 405, both with Allow.
 * VALK_ERROR_USAGE with a diagnostic for a status, type or field that HTTP does not allow; VALK_ERROR_MEMORY. The
 * caller destroys `*response` after the server. Any thread. */
enum valk_error valk_static_response_create(const struct valk_static_config *config,
					    struct valk_static_response **response, struct valk_diagnostic *diagnostic);

/* Frees it. NULL is allowed. */
void valk_static_response_destroy(struct valk_static_response *response);

/* The handler to put into a server's configuration; valid until destroy. */
struct valk_handler valk_static_response_handler(struct valk_static_response *response);

#ifdef __cplusplus
}
#endif
#endif
