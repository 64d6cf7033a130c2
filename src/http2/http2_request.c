/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From a request head to the handler, and the request's content. */
#include "http2/http2_internal.h"

static enum refusal refusal_of_status(unsigned status)
{
	switch (status) {
	case 431:
		return REFUSAL_HEADER_SIZE;
	case 413:
		return REFUSAL_BODY_SIZE;
	case 414:
		return REFUSAL_PATH_LENGTH;
	case 501:
		return REFUSAL_METHOD;
	default:
		return REFUSAL_MALFORMED;
	}
}

static void refuse(struct http2_stream *stream, unsigned status)
{
	http2_session_refuse(stream->session, refusal_of_status(status), stream->id, "answered with a status");
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

void http2_request_dispatch(struct http2_session *session, struct http2_stream *stream)
{
	struct request_head *head = session->head;
	session->head = NULL;
	session->head_stream = NULL;
	counter_add(&session->context->counters.requests, 1);
	stream->started_ms = session->now_ms;
	unsigned status = request_head_finish(head, !stream->request_ended);
	stream->is_head = head->request.method == VALK_METHOD_HEAD;
	if (status == 0 && head->request.content_length >= 0 &&
	    (uint64_t)head->request.content_length > session->context->limits.body_bytes)
		status = 413;
	if (status != 0)
		refuse(stream, status);
	else
		answer(stream, head);
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
		refuse(stream, 413);
}
