/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From a response to frames. */
#include <assert.h>
#include <string.h>

#include "base/parse.h"
#include "http/text.h"
#include "http2/http2_internal.h"

enum {
	STATUS_DIGITS = 3,
	OWN_FIELDS = 4, /* :status, date, server, content-length */
	TAIL_FRAME_MIN =
		1024, /* bytes: a DATA frame is cut to the room in the caller's buffer unless that is smaller */
};

/* Responses for statuses that the protocol layer decides: a short text for people. */
#define STATUS_RESPONSE(code, reason)                                                                                  \
	{                                                                                                              \
		.status = (code), .fields = plain_text, .field_count = 1, .body = (const uint8_t *)(reason "\n"),      \
		.body_length = sizeof(reason "\n") - 1                                                                 \
	}

static const struct valk_field plain_text[] = {{{"content-type", 12}, {"text/plain; charset=utf-8", 25}}};

static const struct valk_response status_responses[] = {
	STATUS_RESPONSE(500, "500 Internal Server Error"),
	STATUS_RESPONSE(400, "400 Bad Request"),
	STATUS_RESPONSE(408, "408 Request Timeout: the request body comes too slowly"),
	STATUS_RESPONSE(413, "413 Content Too Large: the request body passes this server's limit"),
	STATUS_RESPONSE(414, "414 URI Too Long"),
	STATUS_RESPONSE(431, "431 Request Header Fields Too Large"),
	STATUS_RESPONSE(501, "501 Not Implemented: this server does not know the method"),
};

const struct valk_response *http2_status_response(unsigned status)
{
	for (size_t i = 0; i < sizeof(status_responses) / sizeof(status_responses[0]); i++) {
		if (status_responses[i].status == status)
			return &status_responses[i];
	}
	return &status_responses[0];
}

/* A pair whose bytes stay valid until they are encoded, so nghttp2 need not copy them. */
static nghttp2_nv borrow(struct valk_text name, struct valk_text value)
{
	return (nghttp2_nv){(uint8_t *)(uintptr_t)name.bytes, (uint8_t *)(uintptr_t)value.bytes, name.length,
			    value.length, NGHTTP2_NV_FLAG_NO_COPY_NAME | NGHTTP2_NV_FLAG_NO_COPY_VALUE};
}

/* RFC 9110 section 6.4.1: these never have content. */
static bool status_has_content(unsigned status)
{
	return status >= 200 && status != 204 && status != 304;
}

static void put_status(unsigned status, char digits[STATUS_DIGITS])
{
	digits[0] = (char)('0' + status / 100 % 10);
	digits[1] = (char)('0' + status / 10 % 10);
	digits[2] = (char)('0' + status % 10);
}

static size_t gather_fields(struct http2_stream *stream, nghttp2_nv fields[], char digits[STATUS_DIGITS])
{
	const struct valk_response *response = stream->response;
	const struct http2_context *context = stream->session->context;
	size_t count = 0;
	put_status(response->status, digits);
	fields[count] = borrow(TEXT(":status"), (struct valk_text){digits, STATUS_DIGITS});
	fields[count++].flags = NGHTTP2_NV_FLAG_NO_COPY_NAME; /* the digits are on the caller's stack */
	if (context->server_name.bytes != NULL)
		fields[count++] = borrow(TEXT("server"), context->server_name);
	fields[count++] = borrow(TEXT("date"), (struct valk_text){context->date, HTTP_DATE_LENGTH});
	for (size_t i = 0; i < response->field_count && i < VALK_RESPONSE_FIELDS_MAX; i++)
		fields[count++] = borrow(response->fields[i].name, response->fields[i].value);
	if (status_has_content(response->status)) {
		stream->length_size = (uint8_t)format_number(response->body_length, stream->length_text);
		fields[count++] =
			borrow(TEXT("content-length"), (struct valk_text){stream->length_text, stream->length_size});
	}
	return count;
}

/* nghttp2 asks how much DATA comes next. With NO_COPY nothing is copied here; http2_response_send_data does it. */
static ssize_t read_body(nghttp2_session *nghttp2, int32_t stream_id, uint8_t *buffer, size_t length,
			 uint32_t *data_flags, nghttp2_data_source *source, void *user_data)
{
	(void)nghttp2;
	(void)stream_id;
	(void)buffer;
	const struct http2_session *session = user_data;
	const struct http2_stream *stream = source->ptr;
	uint64_t left = stream->response->body_length - stream->body_offset;
	/* A frame that ends with the record needs no second copy and wastes no second record header. */
	size_t room = session->out_capacity - session->out_length;
	if (room < TAIL_FRAME_MIN + FRAME_HEADER_SIZE)
		room = session->out_capacity;
	if (room >= TAIL_FRAME_MIN + FRAME_HEADER_SIZE && length > room - FRAME_HEADER_SIZE)
		length = room - FRAME_HEADER_SIZE;
	*data_flags |= NGHTTP2_DATA_FLAG_NO_COPY;
	if (left <= length) {
		length = (size_t)left;
		*data_flags |= NGHTTP2_DATA_FLAG_EOF;
	}
	return (ssize_t)length;
}

int http2_response_send_data(nghttp2_session *nghttp2, nghttp2_frame *frame, const uint8_t *frame_header, size_t length,
			     nghttp2_data_source *source, void *user_data)
{
	(void)nghttp2;
	(void)frame;
	struct http2_session *session = user_data;
	struct http2_stream *stream = source->ptr;
	size_t room = session->out_capacity - session->out_length;
	if (room == 0)
		return NGHTTP2_ERR_WOULDBLOCK;
	const uint8_t *body = stream->response->body + stream->body_offset;
	stream->body_offset += length;
	stream->progress_ms = session->now_ms;
	http2_flood_on_body(session, length);
	counter_add(&session->context->counters.body_bytes, length);
	if (room >= FRAME_HEADER_SIZE + length) {
		memcpy(session->out + session->out_length, frame_header, FRAME_HEADER_SIZE);
		memcpy(session->out + session->out_length + FRAME_HEADER_SIZE, body, length);
		session->out_length += FRAME_HEADER_SIZE + length;
		return 0;
	}
	/* What fits goes now; the rest with the next call, before anything else. */
	struct unsent *unsent = &session->unsent;
	memcpy(unsent->frame_header, frame_header, FRAME_HEADER_SIZE);
	unsent->header_length = FRAME_HEADER_SIZE;
	size_t header_now = room < FRAME_HEADER_SIZE ? room : FRAME_HEADER_SIZE;
	memcpy(session->out + session->out_length, frame_header, header_now);
	memcpy(session->out + session->out_length + header_now, body, room - header_now);
	unsent->header_length -= header_now;
	unsent->bytes = body + (room - header_now);
	unsent->length = length - (room - header_now);
	session->out_length = session->out_capacity;
	return 0;
}

void http2_response_submit(struct http2_stream *stream)
{
	struct http2_session *session = stream->session;
	const struct valk_response *response = stream->response;
	nghttp2_nv fields[VALK_RESPONSE_FIELDS_MAX + OWN_FIELDS];
	char digits[STATUS_DIGITS];
	size_t count = gather_fields(stream, fields, digits);
	bool has_body = response->body_length > 0 && !stream->is_head && status_has_content(response->status);
	const nghttp2_data_provider provider = {{.ptr = stream}, read_body};
	stream->submitted = true;
	stream->progress_ms = session->now_ms;
	counter_add(&session->context->counters.responses[response->status / 100 % 6], 1);
	if (nghttp2_submit_response(session->nghttp2, stream->id, fields, count, has_body ? &provider : NULL) != 0) {
		http2_session_refuse(session, REFUSAL_MEMORY, stream->id, "response");
		if (nghttp2_submit_rst_stream(session->nghttp2, NGHTTP2_FLAG_NONE, stream->id,
					      NGHTTP2_INTERNAL_ERROR) != 0)
			http2_session_record_fault(session, NGHTTP2_INTERNAL_ERROR); /* not even that: the end */
	}
}

void http2_response_refuse(struct http2_stream *stream, unsigned status)
{
	if (stream->submitted)
		return;
	http2_response_release(stream);
	stream->response = http2_status_response(status);
	http2_response_submit(stream);
}

void http2_response_release(struct http2_stream *stream)
{
	const struct valk_response *response = stream->response;
	struct unsent *unsent = &stream->session->unsent;
	stream->response = NULL;
	if (response == NULL || response->release == NULL)
		return;
	uintptr_t body = (uintptr_t)response->body;
	uintptr_t waiting = (uintptr_t)unsent->bytes;
	if (unsent->length > 0 && waiting >= body && waiting < body + response->body_length)
		unsent->held = response;
	else
		response->release(response);
}
