/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The protocol engine without a socket: bytes in, bytes out, time by hand. */
#include "support/engine.h"
#include "support/test.h"

static void on_release(const struct valk_response *response)
{
	assert_ptr_equal(response, &engine.response);
	engine.released++;
}

static void request(struct bytes *out, int32_t id, const char *path)
{
	put_request(out, id, FLAG_END_STREAM, "GET", path);
}

static void the_server_announces_its_settings(void **state)
{
	(void)state;
	struct frame frame = {0};
	engine_produce(100);
	assert_int_equal(engine_find(FRAME_SETTINGS, 0, &frame), 1);
	assert_int_equal(read_u32(frame.payload + 2), 100); /* first entry: concurrent streams */
	assert_false(http2_session_is_established(engine.session));
}

/* The same bytes, whole and cut in every way, bring the same answer. */
static void any_cut_gives_the_same_answer(void **state)
{
	(void)state;
	for (size_t step = 1; step < 120; step++) {
		struct bytes bytes = {0};
		struct frame frame = {0};
		put_preface(&bytes);
		request(&bytes, 1, "/first");
		request(&bytes, 3, "/second");
		assert_int_equal(engine_feed(&bytes, step), VALK_OK);
		assert_true(http2_session_is_established(engine.session));
		assert_string_equal(engine.last_path, "/second");
		engine_produce(step);
		assert_int_equal(engine_find(FRAME_HEADERS, 1, &frame), 1);
		assert_int_equal(engine_data_length(1), 114);
		assert_int_equal(engine_data_length(3), 114);
		assert_true(engine_find(FRAME_DATA, 3, &frame) >= 1);
		assert_int_equal(frame.flags & FLAG_END_STREAM, FLAG_END_STREAM);
		assert_true(http2_session_is_idle(engine.session));
		engine_close();
		engine_open(NULL);
	}
}

static void bodies_of_every_size_are_exact(void **state)
{
	(void)state;
	static const size_t sizes[] = {0,     1,     9,	    16374, 16375,  16376,
				       16384, 16385, 32750, 65535, 100000, ENGINE_BODY_BYTES};
	static const size_t steps[] = {10, 1000, 16384, 65536};
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		for (size_t s = 0; s < sizeof(steps) / sizeof(steps[0]); s++) {
			struct bytes bytes = {0};
			struct frame frame = {0};
			engine_close();
			engine_open(NULL);
			engine.response.body_length = sizes[i];
			put_preface(&bytes);
			put_setting(&bytes, 4, 1 << 20);
			put_window_update(&bytes, 0, 1 << 20);
			request(&bytes, 1, "/");
			assert_int_equal(engine_feed(&bytes, 4096), VALK_OK);
			engine_produce(steps[s]);
			assert_int_equal(engine_data_length(1), sizes[i]);
			int last = sizes[i] > 0 ? engine_find(FRAME_DATA, 1, &frame)
						: engine_find(FRAME_HEADERS, 1, &frame);
			assert_true(last >= 1);
			assert_int_equal(frame.flags & FLAG_END_STREAM, FLAG_END_STREAM);
		}
	}
}

/* The body stops at the window and goes on when it opens. */
static void the_window_is_respected(void **state)
{
	(void)state;
	struct bytes bytes = {0};
	engine.response.body_length = 1000;
	put_preface(&bytes);
	put_setting(&bytes, 4, 10);
	request(&bytes, 1, "/");
	assert_int_equal(engine_feed(&bytes, 4096), VALK_OK);
	engine_produce(16384);
	assert_int_equal(engine_data_length(1), 10);
	assert_false(http2_session_wants_write(engine.session));
	put_window_update(&bytes, 1, 1);
	assert_int_equal(engine_feed(&bytes, 4096), VALK_OK);
	engine_produce(16384);
	assert_int_equal(engine_data_length(1), 11);
	put_window_update(&bytes, 1, 100000);
	assert_int_equal(engine_feed(&bytes, 4096), VALK_OK);
	engine_produce(16384);
	assert_int_equal(engine_data_length(1), 1000);
	assert_true(http2_session_is_idle(engine.session));
}

static void what_is_not_http2_ends_the_session(void **state)
{
	(void)state;
	struct bytes bytes = {0};
	bytes_append(&bytes, "GET / HTTP/1.1\r\nHost: a\r\n\r\n", 27);
	assert_int_equal(engine_feed(&bytes, 100), VALK_ERROR_PROTOCOL);
	assert_int_equal(engine.refusals[REFUSAL_PREFACE], 1);
}

/* F06: an identifier that was passed over must not be opened later (RFC 9113 section 5.1.1). */
static void a_skipped_identifier_is_an_error(void **state)
{
	(void)state;
	struct bytes bytes = {0};
	struct frame frame = {0};
	put_preface(&bytes);
	request(&bytes, 5, "/");
	assert_int_equal(engine_feed(&bytes, 1000), VALK_OK);
	engine_produce(1000);
	request(&bytes, 3, "/");
	assert_int_equal(engine_feed(&bytes, 1000), VALK_OK);
	engine_produce(1000);
	assert_int_equal(engine_find(FRAME_GOAWAY, 0, &frame), 1);
	assert_int_equal(read_u32(frame.payload + 4), CODE_PROTOCOL_ERROR);
	assert_true(http2_session_is_finished(engine.session));
}

static void frames_on_an_ended_stream_are_an_error(void **state)
{
	(void)state;
	struct bytes bytes = {0};
	struct frame frame = {0};
	put_preface(&bytes);
	request(&bytes, 1, "/");
	assert_int_equal(engine_feed(&bytes, 1000), VALK_OK);
	engine_produce(1000);
	put_frame(&bytes, FRAME_DATA, FLAG_END_STREAM, 1, "x", 1);
	assert_int_equal(engine_feed(&bytes, 1000), VALK_OK);
	engine_produce(1000);
	assert_int_equal(engine_find(FRAME_GOAWAY, 0, &frame), 1);
	assert_int_equal(read_u32(frame.payload + 4), CODE_STREAM_CLOSED);
}

/* Content still in flight after we answered early is legal and ignored. */
static void late_content_after_an_early_answer_is_ignored(void **state)
{
	(void)state;
	struct bytes bytes = {0};
	struct frame frame = {0};
	char content[600] = "";
	put_preface(&bytes);
	put_request(&bytes, 1, 0, "POST", "/");
	put_frame(&bytes, FRAME_DATA, 0, 1, content, 600);
	put_frame(&bytes, FRAME_DATA, 0, 1, content, 600); /* above the limit of 1000 */
	assert_int_equal(engine_feed(&bytes, 5000), VALK_OK);
	engine_produce(1000);
	assert_int_equal(engine.refusals[REFUSAL_BODY_SIZE], 1);
	assert_int_equal(engine_find(FRAME_HEADERS, 1, &frame), 1);
	/* It may go on for a while, then it is asked to stop. */
	put_frame(&bytes, FRAME_DATA, 0, 1, content, 600);
	assert_int_equal(engine_feed(&bytes, 5000), VALK_OK);
	assert_int_equal(http2_session_check_timeouts(engine.session, 2000), VALK_OK);
	engine_produce(1000);
	assert_int_equal(engine_find(FRAME_RST_STREAM, 1, &frame), 0);
	assert_int_equal(http2_session_check_timeouts(engine.session, 2001), VALK_OK);
	engine_produce(1000);
	assert_int_equal(engine_find(FRAME_RST_STREAM, 1, &frame), 1);
	assert_int_equal(read_u32(frame.payload), CODE_NO_ERROR);
	put_frame(&bytes, FRAME_DATA, FLAG_END_STREAM, 1, content, 600);
	request(&bytes, 3, "/next");
	assert_int_equal(engine_feed(&bytes, 5000), VALK_OK);
	engine_produce(1000);
	assert_int_equal(engine_find(FRAME_GOAWAY, 0, &frame), 0);
	assert_int_equal(engine_data_length(3), 114);
}

static void a_post_is_answered_when_its_body_is_complete(void **state)
{
	(void)state;
	struct bytes bytes = {0};
	struct frame frame = {0};
	put_preface(&bytes);
	put_request(&bytes, 1, 0, "POST", "/");
	put_frame(&bytes, FRAME_DATA, 0, 1, "abc", 3);
	assert_int_equal(engine_feed(&bytes, 5000), VALK_OK);
	engine_produce(1000);
	assert_int_equal(engine_find(FRAME_HEADERS, 1, &frame), 0);
	put_frame(&bytes, FRAME_DATA, FLAG_END_STREAM, 1, "def", 3);
	assert_int_equal(engine_feed(&bytes, 5000), VALK_OK);
	engine_produce(1000);
	assert_int_equal(engine_find(FRAME_HEADERS, 1, &frame), 1);
	assert_true(http2_session_is_idle(engine.session));
}

static void a_slow_header_block_ends_the_session(void **state)
{
	(void)state;
	struct bytes bytes = {0};
	struct frame frame = {0};
	put_preface(&bytes);
	put_frame(&bytes, FRAME_HEADERS, FLAG_END_STREAM, 1, "\x82", 1); /* no END_HEADERS */
	assert_int_equal(engine_feed(&bytes, 1000), VALK_OK);
	assert_false(http2_session_is_idle(engine.session));
	assert_int_equal(http2_session_check_timeouts(engine.session, 10000), VALK_OK);
	assert_int_equal(http2_session_check_timeouts(engine.session, 10001), VALK_ERROR_LIMIT);
	assert_int_equal(engine.refusals[REFUSAL_HEADER_TIMEOUT], 1);
	engine_produce(1000);
	assert_int_equal(engine_find(FRAME_GOAWAY, 0, &frame), 1);
	assert_int_equal(read_u32(frame.payload + 4), CODE_ENHANCE_YOUR_CALM);
}

static void a_slow_body_gets_408(void **state)
{
	(void)state;
	struct bytes bytes = {0};
	struct frame frame = {0};
	char content[600] = "";
	put_preface(&bytes);
	put_request(&bytes, 1, 0, "POST", "/");
	put_request(&bytes, 3, 0, "POST", "/");
	assert_int_equal(engine_feed(&bytes, 1000), VALK_OK);
	engine_produce(1000);
	engine.now_ms = 11000;
	for (int i = 0; i < 10; i++) {
		put_frame(&bytes, FRAME_DATA, 0, 3, content, 90);
		assert_int_equal(engine_feed(&bytes, 1000), VALK_OK);
	}
	/* Neither kept 500 bytes a second, but the limit on the body keeps this test small: lower the rate. */
	engine.context.limits.body_rate = 80;
	assert_int_equal(http2_session_check_timeouts(engine.session, 11000), VALK_OK);
	assert_int_equal(engine.refusals[REFUSAL_BODY_TIMEOUT], 1);
	engine_produce(1000);
	assert_int_equal(engine_find(FRAME_HEADERS, 1, &frame), 1);
	assert_int_equal(engine_find(FRAME_HEADERS, 3, &frame), 0);
}

static void a_response_nobody_takes_is_reset(void **state)
{
	(void)state;
	struct bytes bytes = {0};
	struct frame frame = {0};
	put_preface(&bytes);
	put_setting(&bytes, 4, 0);
	request(&bytes, 1, "/");
	assert_int_equal(engine_feed(&bytes, 1000), VALK_OK);
	engine_produce(1000);
	assert_int_equal(http2_session_check_timeouts(engine.session, 30000), VALK_OK);
	assert_int_equal(engine.refusals[REFUSAL_SEND_TIMEOUT], 0);
	assert_int_equal(http2_session_check_timeouts(engine.session, 30001), VALK_OK);
	assert_int_equal(engine.refusals[REFUSAL_SEND_TIMEOUT], 1);
	engine_produce(1000);
	assert_int_equal(engine_find(FRAME_RST_STREAM, 1, &frame), 1);
	assert_int_equal(read_u32(frame.payload), CODE_CANCEL);
	assert_true(http2_session_is_idle(engine.session));
}

/* A client that floods with PING and never lets us send. */
static void unsent_answers_are_bounded(void **state)
{
	(void)state;
	struct bytes bytes = {0};
	enum valk_error error = VALK_OK;
	put_preface(&bytes);
	for (int i = 0; i < 5000; i++)
		put_frame(&bytes, FRAME_PING, 0, 0, "12345678", 8);
	engine.context.limits.pings = 100000;
	error = engine_feed(&bytes, 65536);
	assert_true(error == VALK_ERROR_LIMIT);
	assert_int_equal(engine.refusals[REFUSAL_QUEUE], 1);
	assert_string_equal(engine.last_refusal, "acknowledgements waiting to be sent: 101, limit 100");
}

static void a_queue_that_only_grows_is_bounded(void **state)
{
	(void)state;
	struct bytes bytes = {0};
	enum valk_error error = VALK_OK;
	put_preface(&bytes);
	assert_int_equal(engine_feed(&bytes, 100), VALK_OK);
	engine.context.limits.error_burst = 10000;
	/* The window is shut, so the first 100 stay open and every further one is refused with a frame. */
	put_setting(&bytes, 4, 0);
	for (int i = 0; error == VALK_OK && i < 3000; i++) {
		request(&bytes, 2 * i + 1, "/");
		error = engine_feed(&bytes, 65536);
	}
	assert_int_equal(error, VALK_ERROR_LIMIT);
}

static void shutdown_takes_two_steps(void **state)
{
	(void)state;
	struct bytes bytes = {0};
	struct frame frame = {0};
	put_preface(&bytes);
	request(&bytes, 1, "/");
	assert_int_equal(engine_feed(&bytes, 1000), VALK_OK);
	engine_produce(1000);
	http2_session_shutdown_begin(engine.session);
	http2_session_shutdown_begin(engine.session);
	engine_produce(1000);
	assert_int_equal(engine_find(FRAME_GOAWAY, 0, &frame), 1);
	assert_int_equal(read_u32(frame.payload), 0x7fffffff);
	assert_int_equal(engine_find(FRAME_PING, 0, &frame), 1);
	/* A request that crossed the first GOAWAY is still answered. */
	request(&bytes, 3, "/");
	put_frame(&bytes, FRAME_PING, FLAG_ACK, 0, frame.payload, 8);
	assert_int_equal(engine_feed(&bytes, 1000), VALK_OK);
	engine_produce(1000);
	assert_int_equal(engine_data_length(3), 114);
	assert_int_equal(engine_find(FRAME_GOAWAY, 0, &frame), 2);
	assert_int_equal(read_u32(frame.payload), 3);
	assert_int_equal(read_u32(frame.payload + 4), CODE_NO_ERROR);
	assert_true(http2_session_is_finished(engine.session));
}

static void a_response_is_released_once(void **state)
{
	(void)state;
	struct bytes bytes = {0};
	engine.response.release = on_release;
	engine.response.body_length = 50000;
	put_preface(&bytes);
	request(&bytes, 1, "/");
	assert_int_equal(engine_feed(&bytes, 1000), VALK_OK);
	engine_produce(1000);
	assert_int_equal(engine.released, 1);
	request(&bytes, 3, "/");
	assert_int_equal(engine_feed(&bytes, 1000), VALK_OK);
	engine_produce(1000); /* stops at the connection's window */
	assert_int_equal(engine.released, 1);
	put_reset(&bytes, 3, CODE_CANCEL);
	assert_int_equal(engine_feed(&bytes, 1000), VALK_OK);
	assert_int_equal(engine.released, 2);
	/* One whose last bytes wait for room is kept until they are copied. */
	put_window_update(&bytes, 0, 1 << 20);
	request(&bytes, 5, "/");
	assert_int_equal(engine_feed(&bytes, 1000), VALK_OK);
	uint8_t chunk[100];
	size_t length;
	assert_int_equal(http2_session_produce(engine.session, chunk, sizeof(chunk), &length, 0), VALK_OK);
	http2_session_destroy(engine.session);
	assert_int_equal(engine.released, 3);
	engine.session = NULL;
}

static void a_handler_without_an_answer_is_500(void **state)
{
	(void)state;
	struct bytes bytes = {0};
	struct frame frame = {0};
	put_preface(&bytes);
	request(&bytes, 1, "/null");
	assert_int_equal(engine_feed(&bytes, 1000), VALK_OK);
	engine_produce(1000);
	assert_int_equal(engine_find(FRAME_HEADERS, 1, &frame), 1);
	assert_int_equal(counter_read(&engine.context.counters.responses[5]), 1);
}

/* A header bomb is answered with 431 and leaves the connection usable. */
static void a_header_bomb_is_431(void **state)
{
	(void)state;
	struct bytes bytes = {0}, block = {0};
	char value[3900];
	memset(value, 'v', sizeof(value));
	put_field(&block, ":method", 7, "GET", 3);
	put_field(&block, ":scheme", 7, "https", 5);
	put_field(&block, ":authority", 10, "a", 1);
	put_field(&block, ":path", 5, "/", 1);
	bytes_append(&block, "\x40", 1); /* literal with incremental indexing, new name */
	bytes_append(&block, "\x01x", 2);
	bytes_append(&block, "\x7f\xbd\x1d", 3); /* length 3900 */
	bytes_append(&block, value, sizeof(value));
	for (int i = 0; i < 12000; i++)
		bytes_append(&block, "\xbe", 1); /* the entry just indexed, 12,000 times */
	put_preface(&bytes);
	put_frame(&bytes, FRAME_HEADERS, FLAG_END_STREAM | FLAG_END_HEADERS, 1, block.data, block.length);
	request(&bytes, 3, "/after");
	assert_int_equal(engine_feed(&bytes, 65536), VALK_OK);
	engine_produce(16384);
	assert_int_equal(engine.refusals[REFUSAL_HEADER_SIZE], 1);
	assert_int_equal(counter_read(&engine.context.counters.responses[4]), 1);
	assert_string_equal(engine.last_path, "/after");
	assert_int_equal(engine_data_length(3), 114);
	bytes_free(&block);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		with_engine(the_server_announces_its_settings),
		with_engine(any_cut_gives_the_same_answer),
		with_engine(bodies_of_every_size_are_exact),
		with_engine(the_window_is_respected),
		with_engine(what_is_not_http2_ends_the_session),
		with_engine(a_skipped_identifier_is_an_error),
		with_engine(frames_on_an_ended_stream_are_an_error),
		with_engine(late_content_after_an_early_answer_is_ignored),
		with_engine(a_post_is_answered_when_its_body_is_complete),
		with_engine(a_slow_header_block_ends_the_session),
		with_engine(a_slow_body_gets_408),
		with_engine(a_response_nobody_takes_is_reset),
		with_engine(unsent_answers_are_bounded),
		with_engine(a_queue_that_only_grows_is_bounded),
		with_engine(shutdown_takes_two_steps),
		with_engine(a_response_is_released_once),
		with_engine(a_handler_without_an_answer_is_500),
		with_engine(a_header_bomb_is_431),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
