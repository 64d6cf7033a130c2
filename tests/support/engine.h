/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The protocol engine without a socket, for unit tests: bytes in, bytes out, time by hand. */
#ifndef SUPPORT_ENGINE_H
#define SUPPORT_ENGINE_H

#include "http2/http2_session.h"
#include "support/frames.h"

/* One session and what it did. */
struct engine {
	struct slab *slab;
	struct http2_context context;
	struct http2_session *session;
	uint64_t now_ms;
	struct bytes output; /* all of what was produced */
	int refusals[REFUSAL_COUNT];
	char last_refusal[160];
	char last_path[256];
	struct valk_response response; /* what every request is answered with, but those for /null */
	int released;
};

enum { ENGINE_BODY_BYTES = 200000 }; /* the longest body a response can have */

extern struct engine engine;

/* Opens a session with `limits`; NULL means the defaults, but a body limit of 1,000 bytes. */
void engine_open(const struct valk_limits *limits);
void engine_close(void);

/* cmocka's set-up and tear-down around one test. */
int engine_set_up(void **state);
int engine_tear_down(void **state);
#define with_engine(test) cmocka_unit_test_setup_teardown(test, engine_set_up, engine_tear_down)

/* Feeds bytes in pieces of `step` and frees them. */
enum valk_error engine_feed(struct bytes *bytes, size_t step);

/* Produces in pieces of `step` until nothing is left. */
void engine_produce(size_t step);

/* Counts frames of a type in the output, and keeps the last. */
int engine_find(uint8_t type, int32_t stream_id, struct frame *last);

/* Payload bytes of all DATA frames of a stream in the output. */
uint64_t engine_data_length(int32_t stream_id);

#endif
