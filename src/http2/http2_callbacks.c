/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "http2/http2_callbacks.h"

#include <string.h>

#include "http2/http2_internal.h"

static int on_begin_headers(nghttp2_session *nghttp2, const nghttp2_frame *frame, void *user_data)
{
	struct http2_session *session = user_data;
	if (frame->headers.cat != NGHTTP2_HCAT_REQUEST || session->overwhelmed)
		return 0;
	struct http2_context *context = session->context;
	http2_request_abandon_head(session); /* of a block that ended with the reset of its stream */
	struct http2_stream *stream = slab_allocate(context->slab, sizeof(*stream));
	if (stream == NULL)
		return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE; /* the stream is reset; the connection lives */
	struct request_head *head = http2_context_take_head(context);
	if (head == NULL || nghttp2_session_set_stream_user_data(nghttp2, frame->hd.stream_id, stream) != 0) {
		http2_context_return_head(context, head);
		slab_free(context->slab, stream);
		return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
	}
	memset(stream, 0, sizeof(*stream));
	stream->session = session;
	stream->id = frame->hd.stream_id;
	list_init(&stream->node);
	list_append(&session->streams, &stream->node);
	session->stream_count++;
	session->head = head;
	session->head_stream = stream;
	session->head_started_ms = session->now_ms;
	return 0;
}

static int on_header(nghttp2_session *nghttp2, const nghttp2_frame *frame, const uint8_t *name, size_t name_length,
		     const uint8_t *value, size_t value_length, uint8_t flags, void *user_data)
{
	(void)nghttp2;
	(void)flags;
	struct http2_session *session = user_data;
	/* Trailers reach nobody here; nghttp2 checks them. */
	if (session->head != NULL && frame->headers.cat == NGHTTP2_HCAT_REQUEST)
		request_head_add(session->head, (struct valk_text){(const char *)name, name_length},
				 (struct valk_text){(const char *)value, value_length});
	return 0;
}

/* A name or value with bytes that no field may hold (RFC 9113 section 8.2.1). Versions of nghttp2 differ in what they
 * do by themselves, down to serving the request without the field; a request with such a field is always refused here.
 */
static int on_invalid_header(nghttp2_session *nghttp2, const nghttp2_frame *frame, const uint8_t *name,
			     size_t name_length, const uint8_t *value, size_t value_length, uint8_t flags,
			     void *user_data)
{
	(void)nghttp2;
	(void)name;
	(void)name_length;
	(void)value;
	(void)value_length;
	(void)flags;
	struct http2_session *session = user_data;
	if (session->head == NULL || frame->headers.cat != NGHTTP2_HCAT_REQUEST)
		return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE; /* in trailers: reset the stream */
	request_head_reject(session->head);
	return 0;
}

static void on_ping(struct http2_session *session, const nghttp2_frame *frame)
{
	/* The only PINGs we send are those of http2_session_shutdown_begin. */
	if (session->shutdown_begun && (frame->hd.flags & NGHTTP2_FLAG_ACK) != 0)
		http2_session_shutdown_finish(session);
}

static void on_reset(struct http2_session *session, const nghttp2_frame *frame)
{
	struct http2_stream *stream = nghttp2_session_get_stream_user_data(session->nghttp2, frame->hd.stream_id);
	if (stream == NULL)
		return;
	stream->request_ended = true;
	if (!stream->response_ended)
		http2_flood_on_client_reset(session, stream->id);
}

static void on_request_frame(struct http2_session *session, const nghttp2_frame *frame)
{
	struct http2_stream *stream = nghttp2_session_get_stream_user_data(session->nghttp2, frame->hd.stream_id);
	if (stream == NULL)
		return;
	bool ends = (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0;
	if (frame->hd.type == NGHTTP2_HEADERS && frame->headers.cat == NGHTTP2_HCAT_REQUEST) {
		stream->request_ended = ends;
		if (session->head_stream == stream)
			http2_request_dispatch(session, stream, frame->hd.length);
	} else if (ends) {
		http2_request_end(stream);
	}
}

static int on_frame_recv(nghttp2_session *nghttp2, const nghttp2_frame *frame, void *user_data)
{
	(void)nghttp2;
	struct http2_session *session = user_data;
	switch (frame->hd.type) {
	case NGHTTP2_HEADERS:
	case NGHTTP2_DATA:
		on_request_frame(session, frame);
		break;
	case NGHTTP2_SETTINGS:
		session->established = true;
		break;
	case NGHTTP2_RST_STREAM:
		on_reset(session, frame);
		break;
	case NGHTTP2_PING:
		on_ping(session, frame);
		break;
	default:
		break;
	}
	return 0;
}

static int on_invalid_frame(nghttp2_session *nghttp2, const nghttp2_frame *frame, int code, void *user_data)
{
	(void)nghttp2;
	struct http2_session *session = user_data;
	if (session->head != NULL && session->head_stream->id == frame->hd.stream_id)
		http2_request_abandon_head(session);
	if (session->overwhelmed)
		return 0; /* the rest of a flood is not worth a word */
	bool is_malformed = code == NGHTTP2_ERR_HTTP_HEADER || code == NGHTTP2_ERR_HTTP_MESSAGING;
	uint32_t streams_limit = session->context->limits.concurrent_streams;
	/* Before the client has acknowledged the limit the stream is refused; afterwards nghttp2 ends the connection.
	 */
	if (code == NGHTTP2_ERR_REFUSED_STREAM ||
	    (code == NGHTTP2_ERR_PROTO && frame->hd.type == NGHTTP2_HEADERS && session->stream_count >= streams_limit))
		http2_session_refuse_limit(session, REFUSAL_STREAMS, frame->hd.stream_id, "concurrent streams",
					   streams_limit + 1ULL, streams_limit);
	else
		http2_session_refuse(session, is_malformed ? REFUSAL_MALFORMED : REFUSAL_PROTOCOL, frame->hd.stream_id,
				     nghttp2_strerror(code));
	/* Not only when RST_STREAM is sent: the client may bring thousands before that. */
	if (frame->hd.stream_id != 0) {
		session->flood.errors_foreseen++;
		http2_flood_on_stream_error(session, frame->hd.stream_id);
	}
	return 0;
}

/* Content is discarded, so its window opens again at once; but a client that was answered already gets no more of the
 * stream's window, only the connection's, which belongs to the other streams too. */
static int on_data_chunk(nghttp2_session *nghttp2, uint8_t flags, int32_t stream_id, const uint8_t *bytes,
			 size_t length, void *user_data)
{
	(void)flags;
	(void)bytes;
	struct http2_stream *stream = nghttp2_session_get_stream_user_data(nghttp2, stream_id);
	if (stream != NULL) {
		http2_flood_on_body(user_data, length);
		http2_request_receive_body(stream, length);
	}
	int code = stream != NULL && stream->submitted ? nghttp2_session_consume_connection(nghttp2, length)
						       : nghttp2_session_consume(nghttp2, stream_id, length);
	return code == NGHTTP2_ERR_NOMEM ? NGHTTP2_ERR_CALLBACK_FAILURE : 0;
}

/* The acknowledgement of this PING tells that the client has seen the shutdown notice before it. */
static void on_goaway_sent(struct http2_session *session)
{
	if (session->shutdown_begun && !session->shutdown_finished)
		(void)nghttp2_submit_ping(session->nghttp2, NGHTTP2_FLAG_NONE, (const uint8_t *)"valkyrie");
}

static void on_response_ended(struct http2_session *session, int32_t stream_id)
{
	struct http2_stream *stream = nghttp2_session_get_stream_user_data(session->nghttp2, stream_id);
	if (stream == NULL)
		return;
	stream->response_ended = true;
	stream->progress_ms = session->now_ms;
}

/* A stream that ends before its time by the client's doing. Not those that ended well, and not those we gave up on:
 * they took their time. */
static void on_reset_sent(struct http2_session *session, const nghttp2_frame *frame)
{
	uint32_t code = frame->rst_stream.error_code;
	if (code == NGHTTP2_NO_ERROR || code == NGHTTP2_CANCEL)
		return;
	if (session->flood.errors_foreseen > 0)
		session->flood.errors_foreseen--;
	else
		http2_flood_on_stream_error(session, frame->hd.stream_id);
}

static int on_frame_send(nghttp2_session *nghttp2, const nghttp2_frame *frame, void *user_data)
{
	(void)nghttp2;
	if (frame->hd.type == NGHTTP2_GOAWAY)
		on_goaway_sent(user_data);
	else if (frame->hd.type == NGHTTP2_RST_STREAM)
		on_reset_sent(user_data, frame);
	else if (frame->hd.type <= NGHTTP2_HEADERS && (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0)
		on_response_ended(user_data, frame->hd.stream_id);
	return 0;
}

static int on_stream_close(nghttp2_session *nghttp2, int32_t stream_id, uint32_t error_code, void *user_data)
{
	(void)error_code;
	struct http2_session *session = user_data;
	struct http2_stream *stream = nghttp2_session_get_stream_user_data(nghttp2, stream_id);
	if (stream == NULL)
		return 0;
	if (session->head_stream == stream)
		http2_request_abandon_head(session);
	if (stream->request_ended)
		http2_frames_remember_end(session, stream_id);
	list_remove(&stream->node);
	session->stream_count--;
	http2_response_release(stream);
	slab_free(session->context->slab, stream);
	return 0;
}

void http2_callbacks_set(nghttp2_session_callbacks *callbacks)
{
	nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks, on_begin_headers);
	nghttp2_session_callbacks_set_on_header_callback(callbacks, on_header);
	nghttp2_session_callbacks_set_on_invalid_header_callback(callbacks, on_invalid_header);
	nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, on_frame_recv);
	nghttp2_session_callbacks_set_on_invalid_frame_recv_callback(callbacks, on_invalid_frame);
	nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, on_data_chunk);
	nghttp2_session_callbacks_set_on_frame_send_callback(callbacks, on_frame_send);
	nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, on_stream_close);
	nghttp2_session_callbacks_set_send_data_callback(callbacks, http2_response_send_data);
}
