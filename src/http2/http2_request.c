/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From a request head to the handler, and the request's content. */
#include "http2/http2_internal.h"

static void refuse_body(struct http2_stream *stream, uint64_t length)
{
	http2_session_refuse_limit(stream->session, REFUSAL_BODY_SIZE, stream->id, "bytes of request body", length,
				   stream->session->context->limits.body_bytes);
	http2_response_refuse(stream, 413);
}

/* Counts, logs and answers a head that was found wanting. */
static void refuse_head(struct http2_stream *stream, const struct request_head *head, unsigned status)
{
	struct http2_session *session = stream->session;
	switch (status) {
	case 431:
		if (head->seen_count > head->limits.field_count)
			http2_session_refuse_limit(session, REFUSAL_HEADER_SIZE, stream->id, "header fields",
						   head->seen_count, head->limits.field_count);
		else
			http2_session_refuse_limit(session, REFUSAL_HEADER_SIZE, stream->id, "bytes of header list",
						   head->list_bytes, head->limits.list_bytes);
		break;
	case 414:
		http2_session_refuse_limit(session, REFUSAL_PATH_LENGTH, stream->id, "bytes of path",
					   head->request.path.length, head->limits.path_bytes);
		break;
	case 501:
		http2_session_refuse(session, REFUSAL_METHOD, stream->id, "answered with 501");
		break;
	default:
		http2_session_refuse(session, REFUSAL_MALFORMED, stream->id, "answered with 400");
		break;
	}
	http2_response_refuse(stream, status);
}

/* RFC 9110 section 10.1.1: the client waits for a word before it sends the content. */
static void send_continue(struct http2_stream *stream)
{
	uint8_t name[] = ":status";
	uint8_t value[] = "100";
	const nghttp2_nv status = {name, value, sizeof(name) - 1, sizeof(value) - 1, NGHTTP2_NV_FLAG_NONE};
	(void)nghttp2_submit_headers(stream->session->nghttp2, NGHTTP2_FLAG_NONE, stream->id, NULL, &status, 1, NULL);
}

static void answer(struct http2_stream *stream, const struct request_head *head)
{
	struct http2_context *context = stream->session->context;
	const struct valk_response *response = context->handler.handle(context->handler.context, &head->request);
	stream->response = response != NULL ? response : http2_status_response(500);
	/* An answer to a request that is still arriving waits for its end, unless it is a refusal. */
	if (stream->request_ended || stream->response->status >= 400)
		http2_response_submit(stream);
	else if (head->expects_continue)
		send_continue(stream);
}

void http2_request_dispatch(struct http2_session *session, struct http2_stream *stream, size_t frame_bytes)
{
	struct request_head *head = session->head;
	session->head = NULL;
	session->head_stream = NULL;
	counter_add(&session->context->counters.requests, 1);
	stream->started_ms = session->now_ms;
	unsigned status = request_head_finish(head, !stream->request_ended);
	stream->is_head = head->request.method == VALK_METHOD_HEAD;
	int64_t announced = head->request.content_length;
	if (status != 0) {
		refuse_head(stream, head, status);
	} else if (announced >= 0 && (uint64_t)announced > session->context->limits.body_bytes) {
		refuse_body(stream, (uint64_t)announced);
	} else {
		http2_flood_on_request(session, frame_bytes);
		answer(stream, head);
	}
	http2_context_return_head(session->context, head);
}

void http2_request_abandon_head(struct http2_session *session)
{
	http2_context_return_head(session->context, session->head);
	session->head = NULL;
	session->head_stream = NULL;
}

void http2_request_end(struct http2_stream *stream)
{
	stream->request_ended = true;
	if (stream->response != NULL && !stream->submitted)
		http2_response_submit(stream);
}

void http2_request_receive_body(struct http2_stream *stream, size_t length)
{
	stream->received_bytes += length;
	if (stream->received_bytes > stream->session->context->limits.body_bytes && !stream->submitted)
		refuse_body(stream, stream->received_bytes);
}
