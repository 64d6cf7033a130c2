/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The HTTP/2 engine after TLS: any bytes in, answers out, time passing, and allocations that fail.
 *
 * The first four bytes of an input choose how it is fed: [0] bit 0: the preface is part of the input instead of being
 * put before it; bit 1: the answers are never taken; bit 2: allocations fail from then on instead of once; [1] size of
 * the pieces fed; [2] and [3]: which allocation fails, 0 none. */
#include <stdlib.h>
#include <string.h>

#include "faults/inject.h"
#include "fuzz/fuzz.h"
#include "http2/http2_session.h"

enum {
	CONTROL_BYTES = 4,
	OWN_PREFACE = 1,
	NEVER_READ = 2,
	STICKY = 4,
	MS_PER_PIECE = 700,
	OUTPUT_BYTES = 16384,
	BODY_BYTES = 50000,
};

static const uint8_t body[BODY_BYTES];
static unsigned released;
static unsigned handed_out;

static void on_release(const struct valk_response *response)
{
	(void)response;
	released++;
}

/* Looks at everything a handler may look at, so that the sanitizers see it. */
static const struct valk_response *handle(void *context, const struct valk_request *request)
{
	static const struct valk_response large = {
		.status = 200, .body = body, .body_length = BODY_BYTES, .release = on_release};
	static const struct valk_response small = {.status = 404, .release = on_release};
	uint8_t sum = 0;
	(void)context;
	for (size_t i = 0; i < request->field_count; i++) {
		for (size_t k = 0; k < request->fields[i].name.length; k++)
			sum = (uint8_t)(sum + request->fields[i].name.bytes[k]);
		for (size_t k = 0; k < request->fields[i].value.length; k++)
			sum = (uint8_t)(sum + request->fields[i].value.bytes[k]);
	}
	for (size_t i = 0; i < request->path.length; i++)
		sum = (uint8_t)(sum + request->path.bytes[i]);
	if (sum % 7 == 0)
		return NULL;
	handed_out++;
	return sum % 2 == 0 ? &large : &small;
}

static void on_refusal(void *owner, enum refusal refusal, int32_t stream_id, const char *detail)
{
	(void)owner;
	(void)stream_id;
	if (refusal >= REFUSAL_COUNT || detail == NULL || strlen(detail) > 1000)
		abort();
}

/* Takes everything there is to send. False when the connection must end. */
static bool produce(struct http2_session *session, uint64_t now_ms)
{
	static uint8_t output[OUTPUT_BYTES];
	size_t length;
	do {
		if (http2_session_produce(session, output, sizeof(output), &length, now_ms) != VALK_OK)
			return false;
		if (length > sizeof(output))
			abort();
	} while (length == sizeof(output));
	return true;
}

static void converse(struct http2_session *session, const uint8_t *bytes, size_t size, size_t step, bool reads)
{
	uint64_t now_ms = 1000;
	bool alive = true;
	for (size_t at = 0; alive && at < size; at += step) {
		size_t length = size - at < step ? size - at : step;
		alive = http2_session_receive(session, bytes + at, length, now_ms) == VALK_OK;
		if (reads)
			alive = produce(session, now_ms) && alive;
		now_ms += MS_PER_PIECE;
		alive = alive && http2_session_check_timeouts(session, now_ms) == VALK_OK &&
			!http2_session_is_finished(session);
	}
	http2_session_shutdown_begin(session);
	http2_session_shutdown_finish(session);
	if (alive)
		(void)produce(session, now_ms);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint8_t preface[] = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0";
	const struct valk_handler handler = {handle, NULL};
	const struct http2_observer observer = {on_refusal};
	struct valk_limits limits;
	struct http2_context context;
	if (size < CONTROL_BYTES)
		return 0;
	valk_limits_init(&limits);
	limits.body_bytes = 20000;
	released = handed_out = 0;
	struct slab *slab = slab_create();
	inject_allocation(data[2] | (unsigned)data[3] << 8, (data[0] & STICKY) != 0);
	if (http2_context_init(&context, slab, &limits, &handler, &observer, "Sun, 06 Nov 1994 08:49:37 GMT", "fuzz") ==
	    VALK_OK) {
		struct http2_session *session = http2_session_create(&context, &context, 0);
		if (session != NULL && (data[0] & OWN_PREFACE) == 0 &&
		    http2_session_receive(session, preface, sizeof(preface), 0) != VALK_OK) {
			http2_session_destroy(session);
			session = NULL;
		}
		if (session != NULL)
			converse(session, data + CONTROL_BYTES, size - CONTROL_BYTES, data[1] + 1U,
				 (data[0] & NEVER_READ) == 0);
		http2_session_destroy(session);
		if (released != handed_out)
			abort(); /* a response is lost or given back twice */
		http2_context_dispose(&context);
	}
	inject_allocation(0, false);
	slab_destroy(slab);
	return 0;
}
