/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A request head while it arrives field by field, and its validation. */
#ifndef HTTP_REQUEST_HEAD_H
#define HTTP_REQUEST_HEAD_H

#include "valkyrie/http.h"

/* Bounds of one request head. */
struct request_head_limits {
	size_t list_bytes;  /* names, values and 32 a field, as RFC 9113 section 6.5.2 counts
			       SETTINGS_MAX_HEADER_LIST_SIZE */
	size_t field_count; /* pseudo-fields included */
	size_t path_bytes;
};

/* Owned by one stream at a time and reused; `fields` and `text` follow it in the same allocation. */
struct request_head {
	struct valk_request request; /* a view into `text`; complete after request_head_finish */
	struct request_head_limits limits;
	struct valk_text host;
	size_t list_bytes;
	size_t seen_count;
	size_t field_count;
	size_t text_used;
	unsigned refusal_status; /* 0, or the status that answers this head instead of a handler */
	bool expects_continue;
	struct valk_field *fields;
	char *text;
};

/* Bytes an allocation for a head with these limits needs. */
size_t request_head_size(const struct request_head_limits *limits);

/* Makes `head`, an allocation of request_head_size bytes, an empty head. */
void request_head_init(struct request_head *head, const struct request_head_limits *limits);

/* Takes one field or pseudo-field; the bytes are copied. Past a limit the head is marked for refusal with 431 and
 * further fields are dropped, so that the cost of a header bomb ends here. */
void request_head_add(struct request_head *head, struct valk_text name, struct valk_text value);

/* Marks the head as malformed: it will be answered with 400. */
void request_head_reject(struct request_head *head);

/* Checks the complete head and fills `head->request`. Returns 0, or the status of the refusal: 400 for a malformed one
 * (RFC 9113 section 8.1.1), 414, 431, or 501 for a method nobody knows (RFC 9110 section 9.1). */
unsigned request_head_finish(struct request_head *head, bool has_body);

#endif
