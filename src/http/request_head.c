/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "http/request_head.h"

#include "base/parse.h"
#include "http/method.h"
#include "http/target.h"
#include "http/text.h"

enum { FIELD_OVERHEAD = 32 }; /* RFC 9113 section 6.5.2 */

size_t request_head_size(const struct request_head_limits *limits)
{
	return sizeof(struct request_head) + limits->field_count * sizeof(struct valk_field) + limits->list_bytes;
}

void request_head_init(struct request_head *head, const struct request_head_limits *limits)
{
	memset(head, 0, sizeof(*head));
	head->limits = *limits;
	head->fields = (struct valk_field *)(void *)(head + 1);
	head->text = (char *)(head->fields + limits->field_count);
	head->request.content_length = -1;
}

static void refuse(struct request_head *head, unsigned status)
{
	if (head->refusal_status == 0)
		head->refusal_status = status;
}

void request_head_reject(struct request_head *head)
{
	refuse(head, 400);
}

static struct valk_text keep(struct request_head *head, struct valk_text text)
{
	struct valk_text kept = {head->text + head->text_used, text.length};
	memcpy(head->text + head->text_used, text.bytes, text.length);
	head->text_used += text.length;
	return kept;
}

static void add_pseudo_field(struct request_head *head, struct valk_text name, struct valk_text value)
{
	struct valk_request *request = &head->request;
	if (text_equals(name, TEXT(":path")))
		request->path = keep(head, value);
	else if (text_equals(name, TEXT(":method")))
		request->method_text = keep(head, value);
	else if (text_equals(name, TEXT(":authority")))
		request->authority = keep(head, value);
	else if (text_equals(name, TEXT(":scheme")))
		request->scheme = keep(head, value);
	else
		request_head_reject(head);
}

/* Fields that the head itself needs. */
static void note_field(struct request_head *head, const struct valk_field *field)
{
	uint64_t length;
	if (text_equals(field->name, TEXT("host"))) {
		if (head->host.bytes != NULL)
			request_head_reject(head); /* RFC 9110 section 7.2: one Host only */
		head->host = field->value;
	} else if (text_equals(field->name, TEXT("content-length"))) {
		if (head->request.content_length >= 0 ||
		    !parse_number_bytes(field->value.bytes, field->value.length, INT64_MAX, &length))
			request_head_reject(head);
		else
			head->request.content_length = (int64_t)length;
	} else if (text_equals(field->name, TEXT("expect"))) {
		head->expects_continue = text_equals_ignoring_case(field->value, TEXT("100-continue"));
	}
}

void request_head_add(struct request_head *head, struct valk_text name, struct valk_text value)
{
	if (head->refusal_status == 431)
		return;
	head->list_bytes += name.length + value.length + FIELD_OVERHEAD;
	head->seen_count++;
	if (head->list_bytes > head->limits.list_bytes || head->seen_count > head->limits.field_count) {
		head->refusal_status = 431; /* outranks 400: nothing after this field was looked at */
		return;
	}
	if (name.length > 0 && name.bytes[0] == ':') {
		add_pseudo_field(head, name, value);
		return;
	}
	struct valk_field *field = &head->fields[head->field_count++];
	field->name = keep(head, name);
	field->value = keep(head, value);
	note_field(head, field);
}

static bool is_malformed(const struct request_head *head)
{
	const struct valk_request *request = &head->request;
	if (!target_scheme_is_valid(request->scheme) || !target_authority_is_valid(request->authority))
		return true;
	/* RFC 9113 section 8.3.1: a Host that differs from :authority makes the request malformed. */
	if (head->host.bytes != NULL && !text_equals_ignoring_case(head->host, request->authority))
		return true;
	return !target_path_is_valid(request->path, request->method);
}

unsigned request_head_finish(struct request_head *head, bool has_body)
{
	struct valk_request *request = &head->request;
	request->has_body = has_body;
	request->fields = head->fields;
	request->field_count = head->field_count;
	request->method = method_parse(request->method_text);
	if (request->authority.bytes == NULL)
		request->authority = head->host;
	if (head->refusal_status != 0)
		return head->refusal_status;
	if (request->method == VALK_METHOD_CONNECT) {
		/* A CONNECT has no scheme and path (RFC 9113 section 8.5), and this is no proxy. */
		refuse(head, 501);
	} else if (request->path.length > head->limits.path_bytes) {
		refuse(head, 414);
	} else if (is_malformed(head)) {
		refuse(head, 400);
	} else if (request->method == VALK_METHOD_OTHER) {
		refuse(head, 501);
	}
	return head->refusal_status;
}
