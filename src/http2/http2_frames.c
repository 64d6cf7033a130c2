/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rules on frames that nghttp2 does not enforce, because it keeps no closed streams and calls nobody for a frame it
 * ignores. */
#include <string.h>

#include "http2/http2_internal.h"

static void break_rule(struct http2_session *session, int32_t stream_id, uint32_t error_code, const char *rule)
{
	http2_session_refuse(session, REFUSAL_PROTOCOL, stream_id, rule);
	http2_session_record_fault(session, error_code);
}

static bool is_skipped(const struct http2_session *session, int32_t id)
{
	for (unsigned i = 0; i < session->skipped_count; i++) {
		if (id >= session->skipped[i].first && id <= session->skipped[i].last)
			return true;
	}
	return false;
}

static void remember_skipped(struct http2_session *session, int32_t first, int32_t last)
{
	if (session->skipped_count == SKIPPED_RANGES_MAX) {
		/* The oldest range is forgotten; frames on its identifiers are then ignored, which is harmless. */
		memmove(session->skipped, session->skipped + 1, sizeof(session->skipped) - sizeof(session->skipped[0]));
		session->skipped_count--;
	}
	session->skipped[session->skipped_count++] = (struct id_range){first, last};
}

static bool has_ended(const struct http2_session *session, int32_t id)
{
	for (unsigned i = 0; i < ENDED_IDS_MAX; i++) {
		if (session->ended_ids[i] == id)
			return true;
	}
	return false;
}

void http2_frames_remember_end(struct http2_session *session, int32_t id)
{
	session->ended_ids[session->ended_next] = id;
	session->ended_next = (uint8_t)((session->ended_next + 1) % ENDED_IDS_MAX);
}

/* A HEADERS or DATA frame on an identifier that is not new. Frames on a stream that was reset while the client was
 * still sending are in flight legally and stay ignored (RFC 9113 section 5.1). */
static void check_known_id(struct http2_session *session, int32_t id)
{
	if (is_skipped(session, id))
		break_rule(session, id, NGHTTP2_PROTOCOL_ERROR,
			   "a frame on a stream that was passed over, RFC 9113 section 5.1.1");
	else if (has_ended(session, id))
		break_rule(session, id, NGHTTP2_STREAM_CLOSED,
			   "a frame on a stream the client had ended, RFC 9113 section 5.1");
}

static void on_frame(void *context, const struct frame_header *header)
{
	struct http2_session *session = context;
	http2_flood_on_frame(session, header);
	if (header->type == NGHTTP2_PRIORITY && header->stream_id == 0)
		break_rule(session, 0, NGHTTP2_PROTOCOL_ERROR, "PRIORITY on stream 0, RFC 9113 section 6.3");
	if (header->type > NGHTTP2_HEADERS || (header->stream_id & 1) == 0)
		return;
	if (header->stream_id <= session->highest_id) {
		check_known_id(session, header->stream_id);
	} else if (header->type == NGHTTP2_HEADERS) {
		if (header->stream_id > session->highest_id + 2)
			remember_skipped(session, session->highest_id + 1, header->stream_id - 1);
		session->highest_id = header->stream_id;
	}
}

void http2_frames_inspect(struct http2_session *session, const uint8_t *bytes, size_t length)
{
	frame_scanner_feed(&session->scanner, bytes, length, on_frame, session);
}
