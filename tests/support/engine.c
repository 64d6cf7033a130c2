/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "support/engine.h"

#include "support/test.h"

struct engine engine;

static const uint8_t body[ENGINE_BODY_BYTES] = {1};

static const struct valk_response *handle(void *context, const struct valk_request *request)
{
	(void)context;
	snprintf(engine.last_path, sizeof(engine.last_path), "%.*s", (int)request->path.length, request->path.bytes);
	return request->path.length == 5 && memcmp(request->path.bytes, "/null", 5) == 0 ? NULL : &engine.response;
}

static void on_refusal(void *owner, enum refusal refusal, int32_t stream_id, const char *detail)
{
	(void)stream_id;
	assert_ptr_equal(owner, &engine);
	snprintf(engine.last_refusal, sizeof(engine.last_refusal), "%s", detail);
	engine.refusals[refusal]++;
}

void engine_open(const struct valk_limits *limits)
{
	const struct valk_handler handler = {handle, NULL};
	const struct http2_observer observer = {on_refusal};
	struct valk_limits defaults;
	valk_limits_init(&defaults);
	defaults.body_bytes = 1000;
	memset(&engine, 0, sizeof(engine));
	engine.response = (struct valk_response){.status = 200, .body = body, .body_length = 114};
	engine.slab = slab_create();
	assert_int_equal(http2_context_init(&engine.context, engine.slab, limits != NULL ? limits : &defaults, &handler,
					    &observer, "Sun, 06 Nov 1994 08:49:37 GMT", "test"),
			 VALK_OK);
	engine.session = http2_session_create(&engine.context, &engine, 0);
	assert_non_null(engine.session);
}

void engine_close(void)
{
	http2_session_destroy(engine.session);
	http2_context_dispose(&engine.context);
	slab_destroy(engine.slab);
	bytes_free(&engine.output);
}

int engine_set_up(void **state)
{
	(void)state;
	engine_open(NULL);
	return 0;
}

int engine_tear_down(void **state)
{
	(void)state;
	engine_close();
	return 0;
}

enum valk_error engine_feed(struct bytes *bytes, size_t step)
{
	enum valk_error error = VALK_OK;
	for (size_t at = 0; error == VALK_OK && at < bytes->length; at += step) {
		size_t length = bytes->length - at < step ? bytes->length - at : step;
		error = http2_session_receive(engine.session, bytes->data + at, length, engine.now_ms);
	}
	bytes_free(bytes);
	return error;
}

void engine_produce(size_t step)
{
	uint8_t *chunk = malloc(step);
	size_t length;
	do {
		assert_int_equal(http2_session_produce(engine.session, chunk, step, &length, engine.now_ms), VALK_OK);
		bytes_append(&engine.output, chunk, length);
	} while (length == step);
	free(chunk);
}

int engine_find(uint8_t type, int32_t stream_id, struct frame *last)
{
	const uint8_t *at = engine.output.data;
	static const uint8_t nothing[8];
	struct frame frame = {0};
	int count = 0;
	memset(last, 0, sizeof(*last));
	last->payload = nothing;
	while (next_frame(&at, engine.output.data + engine.output.length, &frame)) {
		if (frame.type == type && frame.stream_id == stream_id) {
			*last = frame;
			count++;
		}
	}
	assert_ptr_equal(at, engine.output.data + engine.output.length); /* whole frames only */
	return count;
}

uint64_t engine_data_length(int32_t stream_id)
{
	const uint8_t *at = engine.output.data;
	struct frame frame = {0};
	uint64_t length = 0;
	while (next_frame(&at, engine.output.data + engine.output.length, &frame)) {
		if (frame.type == FRAME_DATA && frame.stream_id == stream_id)
			length += frame.length;
	}
	return length;
}
