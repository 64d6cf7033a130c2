/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "http2/http2_session.h"

#include <string.h>

#include "http2/http2_internal.h"

enum {
	STREAM_WINDOW = 256 * 1024, /* bytes a client may send of one body before we take it: 100 Mbit/s at 20 ms */
	CONNECTION_WINDOW = 1024 * 1024, /* the same for all bodies of a connection */
	UPLOAD_PATIENCE_MS = 2000,	 /* how long a client may go on sending a body that was answered already */
};

static bool submit_settings(struct http2_session *session)
{
	const struct valk_limits *limits = &session->context->limits;
	const nghttp2_settings_entry settings[] = {
		{NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, limits->concurrent_streams},
		{NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, STREAM_WINDOW},
		{NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, limits->header_bytes},
		{NGHTTP2_SETTINGS_NO_RFC7540_PRIORITIES, 1}, /* RFC 9218 section 2.1: only the new scheme */
	};
	return nghttp2_submit_settings(session->nghttp2, NGHTTP2_FLAG_NONE, settings,
				       sizeof(settings) / sizeof(settings[0])) == 0 &&
	       nghttp2_session_set_local_window_size(session->nghttp2, NGHTTP2_FLAG_NONE, 0, CONNECTION_WINDOW) == 0;
}

struct http2_session *http2_session_create(struct http2_context *context, void *owner, uint64_t now_ms)
{
	struct http2_session *session = slab_allocate_zeroed(context->slab, 1, sizeof(*session));
	if (session == NULL)
		return NULL;
	session->context = context;
	session->owner = owner;
	session->now_ms = now_ms;
	list_init(&session->streams);
	frame_scanner_init(&session->scanner);
	if (nghttp2_session_server_new3(&session->nghttp2, context->callbacks, session, context->options,
					&context->memory) != 0 ||
	    !submit_settings(session)) {
		http2_session_destroy(session);
		return NULL;
	}
	return session;
}

static void release_held(struct unsent *unsent)
{
	const struct valk_response *held = unsent->held;
	unsent->held = NULL;
	if (held != NULL)
		held->release(held);
}

void http2_session_destroy(struct http2_session *session)
{
	if (session == NULL)
		return;
	struct http2_context *context = session->context;
	nghttp2_session_del(session->nghttp2);
	session->unsent.length = 0;
	release_held(&session->unsent);
	/* nghttp2_session_del does not call on_stream_close. */
	while (!list_is_empty(&session->streams)) {
		struct http2_stream *stream = list_entry(session->streams.next, struct http2_stream, node);
		list_remove(&stream->node);
		http2_response_release(stream);
		slab_free(context->slab, stream);
	}
	http2_context_return_head(context, session->head);
	slab_free(context->slab, session);
}

void http2_session_refuse(struct http2_session *session, enum refusal refusal, int32_t stream_id, const char *detail)
{
	session->context->observer.on_refusal(session->owner, refusal, stream_id, detail);
}

void http2_session_refuse_limit(struct http2_session *session, enum refusal refusal, int32_t stream_id,
				const char *what, uint64_t value, uint64_t limit)
{
	char detail[128];
	refusal_describe_limit(detail, sizeof(detail), what, value, limit);
	http2_session_refuse(session, refusal, stream_id, detail);
}

/* For a client that does not take what is queued: a last word, which one more call of produce sends if it can. */
static enum valk_error say_calm(struct http2_session *session)
{
	(void)nghttp2_session_terminate_session(session->nghttp2, NGHTTP2_ENHANCE_YOUR_CALM);
	return VALK_ERROR_LIMIT;
}

/* What a fatal return of nghttp2 means for us. */
static enum valk_error explain_fatal(struct http2_session *session, int code)
{
	switch (code) {
	case NGHTTP2_ERR_NOMEM:
		http2_session_refuse(session, REFUSAL_MEMORY, 0, "HTTP/2 session");
		return VALK_ERROR_MEMORY;
	case NGHTTP2_ERR_BAD_CLIENT_MAGIC:
		http2_session_refuse(session, REFUSAL_PREFACE, 0, "the client does not speak HTTP/2");
		return VALK_ERROR_PROTOCOL;
	case NGHTTP2_ERR_FLOODED:
		http2_session_refuse_limit(session, REFUSAL_QUEUE, 0, "acknowledgements waiting to be sent",
					   session->context->limits.queue_acks + 1ULL,
					   session->context->limits.queue_acks);
		return say_calm(session);
	default:
		http2_session_refuse(session, REFUSAL_PROTOCOL, 0, nghttp2_strerror(code));
		return VALK_ERROR_PROTOCOL;
	}
}

void http2_session_record_fault(struct http2_session *session, uint32_t error_code)
{
	if (session->has_fault)
		return;
	session->fault = error_code;
	session->has_fault = true;
}

/* Acts on a fault that was recorded while nghttp2 was at work. */
static enum valk_error enforce(struct http2_session *session)
{
	if (!session->has_fault)
		return VALK_OK;
	session->has_fault = false;
	return nghttp2_session_terminate_session(session->nghttp2, session->fault) == 0 ? VALK_OK : VALK_ERROR_MEMORY;
}

static enum valk_error check_queue(struct http2_session *session)
{
	size_t frames = nghttp2_session_get_outbound_queue_size(session->nghttp2);
	uint32_t limit = session->context->limits.queue_frames;
	if (frames <= limit)
		return VALK_OK;
	http2_session_refuse_limit(session, REFUSAL_QUEUE, 0, "frames waiting to be sent", frames, limit);
	return say_calm(session);
}

enum valk_error http2_session_receive(struct http2_session *session, const uint8_t *bytes, size_t length,
				      uint64_t now_ms)
{
	session->now_ms = now_ms;
	http2_frames_inspect(session, bytes, length);
	if (!session->overwhelmed) {
		ssize_t taken = nghttp2_session_mem_recv(session->nghttp2, bytes, length);
		if (taken < 0)
			return explain_fatal(session, (int)taken);
		http2_flood_check(session);
	}
	enum valk_error error = enforce(session);
	return error == VALK_OK ? check_queue(session) : error;
}

/* Copies what an earlier call left, as far as it fits. */
static void copy_unsent(struct http2_session *session)
{
	struct unsent *unsent = &session->unsent;
	size_t room = session->out_capacity - session->out_length;
	size_t count = unsent->header_length < room ? unsent->header_length : room;
	if (count > 0) {
		memcpy(session->out + session->out_length,
		       unsent->frame_header + FRAME_HEADER_SIZE - unsent->header_length, count);
		unsent->header_length -= count;
		session->out_length += count;
		room -= count;
	}
	count = unsent->length < room ? unsent->length : room;
	if (count > 0) {
		memcpy(session->out + session->out_length, unsent->bytes, count);
		unsent->bytes += count;
		unsent->length -= count;
		session->out_length += count;
	}
	if (unsent->length == 0)
		release_held(unsent);
}

static bool has_unsent(const struct http2_session *session)
{
	return session->unsent.header_length + session->unsent.length > 0;
}

enum valk_error http2_session_produce(struct http2_session *session, uint8_t *out, size_t capacity, size_t *length,
				      uint64_t now_ms)
{
	enum valk_error error = VALK_OK;
	session->now_ms = now_ms;
	session->out = out;
	session->out_capacity = capacity;
	session->out_length = 0;
	copy_unsent(session);
	while (session->out_length < capacity && (error = enforce(session)) == VALK_OK) {
		const uint8_t *bytes;
		ssize_t count = nghttp2_session_mem_send(session->nghttp2, &bytes);
		if (count < 0) {
			error = explain_fatal(session, (int)count);
			break;
		}
		if (count == 0)
			break; /* nothing more, or http2_response_send_data filled the buffer */
		session->unsent.bytes = bytes;
		session->unsent.length = (size_t)count;
		copy_unsent(session);
	}
	*length = session->out_length;
	session->out = NULL;
	return error;
}

bool http2_session_wants_write(const struct http2_session *session)
{
	return has_unsent(session) || nghttp2_session_want_write(session->nghttp2) != 0;
}

bool http2_session_is_finished(const struct http2_session *session)
{
	return !http2_session_wants_write(session) && nghttp2_session_want_read(session->nghttp2) == 0;
}

bool http2_session_is_idle(const struct http2_session *session)
{
	return session->stream_count == 0 && session->head == NULL;
}

bool http2_session_is_established(const struct http2_session *session)
{
	return session->established;
}

uint32_t http2_session_stream_count(const struct http2_session *session)
{
	return session->stream_count;
}

int32_t http2_session_last_stream_id(const struct http2_session *session)
{
	return session->highest_id;
}

/* L3: a body must keep its rate once the grace is over. */
static bool body_is_too_slow(const struct http2_stream *stream, const struct valk_limits *limits, uint64_t now_ms)
{
	uint64_t elapsed_ms = now_ms - stream->started_ms;
	return !stream->request_ended && !stream->submitted && elapsed_ms > limits->body_grace_ms &&
	       stream->received_bytes < elapsed_ms * limits->body_rate / 1000;
}

static void check_stream(struct http2_stream *stream, uint64_t now_ms)
{
	struct http2_session *session = stream->session;
	const struct valk_limits *limits = &session->context->limits;
	if (stream->response_ended) {
		/* RFC 9113 section 8.1: asks a client that still sends to stop. Not at once: many clients drop an
		 * answer whose stream is reset while they are writing, and stop by themselves when they have read it.
		 */
		if (now_ms - stream->progress_ms > UPLOAD_PATIENCE_MS)
			(void)nghttp2_submit_rst_stream(session->nghttp2, NGHTTP2_FLAG_NONE, stream->id,
							NGHTTP2_NO_ERROR);
	} else if (stream->submitted && now_ms - stream->progress_ms > limits->send_timeout_ms) {
		http2_session_refuse_limit(session, REFUSAL_SEND_TIMEOUT, stream->id,
					   "ms without the client taking more of the response",
					   now_ms - stream->progress_ms, limits->send_timeout_ms);
		stream->progress_ms = now_ms; /* said once */
		(void)nghttp2_submit_rst_stream(session->nghttp2, NGHTTP2_FLAG_NONE, stream->id, NGHTTP2_CANCEL);
	} else if (body_is_too_slow(stream, limits, now_ms)) {
		http2_session_refuse_limit(
			session, REFUSAL_BODY_TIMEOUT, stream->id, "bytes a second of the request body",
			stream->received_bytes * 1000 / (now_ms - stream->started_ms), limits->body_rate);
		http2_response_refuse(stream, 408);
	}
}

enum valk_error http2_session_check_timeouts(struct http2_session *session, uint64_t now_ms)
{
	uint64_t head_age_ms = now_ms - session->head_started_ms;
	uint32_t head_limit_ms = session->context->limits.header_timeout_ms;
	session->now_ms = now_ms;
	if (session->head != NULL && head_age_ms > head_limit_ms) {
		http2_session_refuse_limit(session, REFUSAL_HEADER_TIMEOUT, session->highest_id,
					   "ms for a header block", head_age_ms, head_limit_ms);
		return say_calm(session);
	}
	for (struct list *node = session->streams.next; node != &session->streams; node = node->next) {
		struct http2_stream *stream = list_entry(node, struct http2_stream, node);
		if (stream->response != NULL)
			check_stream(stream, now_ms);
	}
	return VALK_OK;
}

void http2_session_shutdown_begin(struct http2_session *session)
{
	if (session->shutdown_begun)
		return;
	session->shutdown_begun = true;
	if (nghttp2_submit_shutdown_notice(session->nghttp2) != 0)
		http2_session_shutdown_finish(session);
}

void http2_session_shutdown_finish(struct http2_session *session)
{
	if (session->shutdown_finished)
		return;
	session->shutdown_begun = true;
	session->shutdown_finished = true;
	(void)nghttp2_submit_goaway(session->nghttp2, NGHTTP2_FLAG_NONE,
				    nghttp2_session_get_last_proc_stream_id(session->nghttp2), NGHTTP2_NO_ERROR, NULL,
				    0);
}
