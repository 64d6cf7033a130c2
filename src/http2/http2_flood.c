/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Limits L7 to L9 and L11: what costs a server work without bringing it a request. nghttp2 has limits of its own for
 * some of these, which differ between its versions and tell nobody; these are counted and logged. */
#include "http2/http2_internal.h"

enum {
	WINDOW_MS = 10000,
	FRAME_WEIGHT_MIN =
		64, /* bytes: what the smallest frame weighs, for looking at it costs more than its nine bytes */
};

static void overwhelm(struct http2_session *session, enum refusal refusal, int32_t stream_id, const char *what,
		      uint64_t value, uint64_t limit)
{
	if (session->overwhelmed)
		return;
	session->overwhelmed = true;
	http2_session_record_fault(session, NGHTTP2_ENHANCE_YOUR_CALM);
	http2_session_refuse_limit(session, refusal, stream_id, what, value, limit);
}

static uint64_t weigh(uint64_t payload_bytes)
{
	uint64_t bytes = payload_bytes + FRAME_HEADER_SIZE;
	return bytes > FRAME_WEIGHT_MIN ? bytes : FRAME_WEIGHT_MIN;
}

/* Begins to count anew every ten seconds. Half of the bytes stay, so that a connection is judged by its recent past. */
static void roll_window(struct http2_session *session)
{
	struct http2_flood *flood = &session->flood;
	if (session->now_ms - flood->window_ms < WINDOW_MS)
		return;
	flood->window_ms = session->now_ms;
	flood->pings = 0;
	flood->settings = 0;
	flood->received_bytes /= 2;
	flood->useful_bytes /= 2;
}

static void count_ping(struct http2_session *session)
{
	uint32_t limit = session->context->limits.pings;
	if (++session->flood.pings > limit)
		overwhelm(session, REFUSAL_PINGS, 0, "PING frames in 10 s", session->flood.pings, limit);
}

static void count_settings(struct http2_session *session, uint32_t length)
{
	const struct valk_limits *limits = &session->context->limits;
	uint32_t entries = length / SETTINGS_ENTRY_SIZE;
	if (++session->flood.settings > limits->settings)
		overwhelm(session, REFUSAL_SETTINGS, 0, "SETTINGS frames in 10 s", session->flood.settings,
			  limits->settings);
	if (entries > limits->settings_entries)
		overwhelm(session, REFUSAL_SETTINGS, 0, "entries of one SETTINGS frame", entries,
			  limits->settings_entries);
}

static void count_continuation(struct http2_session *session, int32_t stream_id)
{
	uint32_t limit = session->context->limits.continuations;
	if (++session->flood.continuations > limit)
		overwhelm(session, REFUSAL_CONTINUATIONS, stream_id, "CONTINUATION frames of one header block",
			  session->flood.continuations, limit);
}

void http2_flood_on_frame(struct http2_session *session, const struct frame_header *header)
{
	roll_window(session);
	session->flood.received_bytes += weigh(header->length);
	switch (header->type) {
	case NGHTTP2_HEADERS:
		session->flood.continuations = 0;
		break;
	case NGHTTP2_CONTINUATION:
		count_continuation(session, header->stream_id);
		break;
	case NGHTTP2_PING:
		if ((header->flags & NGHTTP2_FLAG_ACK) == 0)
			count_ping(session);
		break;
	case NGHTTP2_SETTINGS:
		if ((header->flags & NGHTTP2_FLAG_ACK) == 0)
			count_settings(session, header->length);
		break;
	default:
		break;
	}
}

void http2_flood_on_request(struct http2_session *session, size_t header_block_bytes)
{
	session->flood.useful_bytes += weigh(header_block_bytes);
}

void http2_flood_on_body(struct http2_session *session, size_t length)
{
	session->flood.useful_bytes += length;
}

void http2_flood_check(struct http2_session *session)
{
	const struct valk_limits *limits = &session->context->limits;
	const struct http2_flood *flood = &session->flood;
	uint64_t allowed = flood->useful_bytes * limits->overhead_ratio + limits->overhead_bytes;
	if (flood->received_bytes > allowed)
		overwhelm(session, REFUSAL_OVERHEAD, 0, "bytes beside requests and bodies", flood->received_bytes,
			  allowed);
}

void http2_flood_on_client_reset(struct http2_session *session, int32_t stream_id)
{
	const struct valk_limits *limits = &session->context->limits;
	struct rate_bucket *bucket = &session->flood.client_resets;
	if (!rate_take(bucket, limits->reset_burst, limits->reset_rate, session->now_ms))
		overwhelm(session, REFUSAL_CLIENT_RESETS, stream_id, "requests reset before their answer",
			  rate_debt(bucket), limits->reset_burst);
}

void http2_flood_on_stream_error(struct http2_session *session, int32_t stream_id)
{
	const struct valk_limits *limits = &session->context->limits;
	struct rate_bucket *bucket = &session->flood.stream_errors;
	if (!rate_take(bucket, limits->error_burst, limits->error_rate, session->now_ms))
		overwhelm(session, REFUSAL_STREAM_ERRORS, stream_id, "streams the client made us reset",
			  rate_debt(bucket), limits->error_burst);
}
