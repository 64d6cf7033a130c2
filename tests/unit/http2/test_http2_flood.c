/* SPDX-License-Identifier: GPL-3.0-or-later */
/* L7 to L9 and L11: just below the limit nothing happens, just above it the connection ends with ENHANCE_YOUR_CALM, one
 * line and one count. */
#include "support/engine.h"
#include "support/test.h"

static int open_connection(void **state)
{
	struct bytes bytes = {0};
	engine_set_up(state);
	put_preface(&bytes);
	assert_int_equal(engine_feed(&bytes, 1000), VALK_OK);
	engine_produce(16384);
	return 0;
}

#define with_connection(test) cmocka_unit_test_setup_teardown(test, open_connection, engine_tear_down)

/* Feeds and takes what comes, as a client that reads does. */
static void feed(struct bytes *bytes)
{
	assert_int_equal(engine_feed(bytes, 65536), VALK_OK);
	engine_produce(16384);
}

static void assert_fine(void)
{
	struct frame frame = {0};
	assert_int_equal(engine_find(FRAME_GOAWAY, 0, &frame), 0);
	assert_false(http2_session_is_finished(engine.session));
}

static void assert_calmed(enum refusal refusal, const char *detail)
{
	struct frame frame = {0};
	assert_int_equal(engine_find(FRAME_GOAWAY, 0, &frame), 1);
	assert_int_equal(read_u32(frame.payload + 4), CODE_ENHANCE_YOUR_CALM);
	assert_true(http2_session_is_finished(engine.session));
	assert_int_equal(engine.refusals[refusal], 1);
	assert_string_equal(engine.last_refusal, detail);
}

static void put_pings(struct bytes *bytes, int count, uint8_t flags)
{
	for (int i = 0; i < count; i++)
		put_frame(bytes, FRAME_PING, flags, 0, "12345678", 8);
}

static void pings(void **state)
{
	(void)state;
	struct bytes bytes = {0};
	for (int second = 0; second < 60; second += 10) {
		for (int i = 0; i < 4; i++) {
			put_pings(&bytes, 50, 0);
			feed(&bytes);
		}
		engine.now_ms += 10000;
	}
	put_pings(&bytes, 3000, FLAG_ACK); /* nobody has to answer these */
	feed(&bytes);
	assert_fine();
	put_pings(&bytes, 201, 0);
	feed(&bytes);
	assert_calmed(REFUSAL_PINGS, "PING frames in 10 s: 201, limit 200");
}

static void settings(void **state)
{
	(void)state;
	struct bytes bytes = {0};
	for (int i = 1; i < 100; i++) { /* the preface brought one */
		put_setting(&bytes, 4, 65535);
		if (i % 50 == 0)
			feed(&bytes);
	}
	feed(&bytes);
	assert_fine();
	put_setting(&bytes, 4, 65535);
	feed(&bytes);
	assert_calmed(REFUSAL_SETTINGS, "SETTINGS frames in 10 s: 101, limit 100");
}

static void settings_entries(void **state)
{
	(void)state;
	struct bytes bytes = {0};
	uint8_t entries[33 * 6] = {0};
	for (int i = 0; i < 33; i++)
		entries[i * 6 + 1] = 0x77; /* an identifier nobody knows */
	put_frame(&bytes, FRAME_SETTINGS, 0, 0, entries, sizeof(entries) - 6);
	feed(&bytes);
	assert_fine();
	put_frame(&bytes, FRAME_SETTINGS, 0, 0, entries, sizeof(entries));
	feed(&bytes);
	assert_calmed(REFUSAL_SETTINGS, "entries of one SETTINGS frame: 33, limit 32");
}

/* A request in a HEADERS frame and `count` CONTINUATIONs, the last of which ends the block. */
static void put_request_in_pieces(struct bytes *bytes, int32_t id, int count)
{
	struct bytes block = {0};
	put_field(&block, ":method", 7, "GET", 3);
	put_field(&block, ":scheme", 7, "https", 5);
	put_field(&block, ":authority", 10, "a", 1);
	put_field(&block, ":path", 5, "/pieces", 7);
	put_frame(bytes, FRAME_HEADERS, FLAG_END_STREAM, id, block.data, block.length);
	for (int i = 0; i < count - 1; i++)
		put_frame(bytes, FRAME_CONTINUATION, 0, id, NULL, 0);
	put_frame(bytes, FRAME_CONTINUATION, FLAG_END_HEADERS, id, NULL, 0);
	bytes_free(&block);
}

/* A legal one may even come a byte at a time. */
static void continuations(void **state)
{
	(void)state;
	struct bytes bytes = {0};
	put_request_in_pieces(&bytes, 1, 32);
	assert_int_equal(engine_feed(&bytes, 1), VALK_OK);
	engine_produce(16384);
	assert_string_equal(engine.last_path, "/pieces");
	assert_int_equal(engine_data_length(1), 114);
	assert_fine();
	put_request_in_pieces(&bytes, 3, 33);
	feed(&bytes);
	assert_calmed(REFUSAL_CONTINUATIONS, "CONTINUATION frames of one header block: 33, limit 32");
	assert_int_equal(engine_data_length(3), 0);
}

/* Requests reset before their answer (CVE-2023-44487): few are run once the limit is passed. */
static void client_resets(void **state)
{
	(void)state;
	struct bytes bytes = {0};
	engine.response.body_length = 0;
	for (int32_t id = 1; id < 4000; id += 2) {
		put_request(&bytes, id, FLAG_END_STREAM, "GET", "/");
		put_reset(&bytes, id, CODE_CANCEL);
	}
	feed(&bytes);
	assert_calmed(REFUSAL_CLIENT_RESETS, "requests reset before their answer: 201, limit 200");
	assert_true(counter_read(&engine.context.counters.requests) <= 201);
}

/* A client may reset as many streams as it likes once they are answered, and some before, at a rate. */
static void resets_of_a_good_client(void **state)
{
	(void)state;
	struct bytes bytes = {0};
	int32_t id = 1;
	for (int i = 0; i < 3000; i++, id += 2) {
		put_request(&bytes, id, FLAG_END_STREAM, "GET", "/");
		feed(&bytes);
		put_reset(&bytes, id, CODE_NO_ERROR);
		put_window_update(&bytes, 0, 114);
		feed(&bytes);
	}
	for (int second = 0; second < 60; second++) {
		for (int i = 0; i < 20; i++, id += 2) {
			put_request(&bytes, id, FLAG_END_STREAM, "GET", "/");
			put_reset(&bytes, id, CODE_CANCEL);
		}
		feed(&bytes);
		engine.now_ms += 1000;
	}
	assert_fine();
}

/* A request whose body is longer than it announced: the server resets its stream. */
static void put_broken_request(struct bytes *bytes, int32_t id)
{
	static const struct header headers[] = {{":method", "POST"},
						{":scheme", "https"},
						{":authority", "localhost"},
						{":path", "/"},
						{"content-length", "1"}};
	put_headers(bytes, id, 0, headers, sizeof(headers) / sizeof(headers[0]));
	put_frame(bytes, FRAME_DATA, 0, id, "xx", 2);
}

/* A client that makes the server reset (CVE-2025-8671). */
static void stream_errors(void **state)
{
	(void)state;
	struct bytes bytes = {0};
	for (int32_t id = 1; id < 4000; id += 2)
		put_broken_request(&bytes, id);
	feed(&bytes);
	assert_calmed(REFUSAL_STREAM_ERRORS, "streams the client made us reset: 201, limit 200");
	assert_true(counter_read(&engine.context.counters.requests) <= 201);
}

/* The same one by one, each answered before the next. */
static void stream_errors_one_by_one(void **state)
{
	(void)state;
	struct bytes bytes = {0};
	int32_t id = 1;
	for (; id < 400; id += 2) {
		put_broken_request(&bytes, id);
		feed(&bytes);
	}
	assert_fine();
	put_broken_request(&bytes, id);
	feed(&bytes);
	assert_calmed(REFUSAL_STREAM_ERRORS, "streams the client made us reset: 201, limit 200");
}

static int feed_until_finished(uint8_t type, int32_t stream_id, const void *payload, size_t length, int most)
{
	int sent = 0;
	while (sent < most && !http2_session_is_finished(engine.session)) {
		struct bytes bytes = {0};
		for (int i = 0; i < 500; i++, sent++)
			put_frame(&bytes, type, 0, stream_id, payload, length);
		feed(&bytes);
	}
	return sent;
}

static void empty_data(void **state)
{
	(void)state;
	struct bytes bytes = {0};
	put_request(&bytes, 1, 0, "POST", "/");
	feed(&bytes);
	assert_true(feed_until_finished(FRAME_DATA, 1, NULL, 0, 20000) < 20000);
	assert_int_equal(engine.refusals[REFUSAL_OVERHEAD], 1);
	assert_contains(engine.last_refusal, "bytes beside requests and bodies: 10");
}

static void frames_of_no_use(void **state)
{
	assert_true(feed_until_finished(0x77, 0, "x", 1, 20000) <
		    20000); /* unknown types are to be ignored, within reason */
	engine_close();
	open_connection(state);
	assert_true(feed_until_finished(FRAME_PRIORITY, 1, "\0\0\0\0\x10", 5, 20000) < 20000);
	assert_int_equal(engine.refusals[REFUSAL_OVERHEAD], 1);
}

/* An upload in pieces of 100 bytes, a download with a WINDOW_UPDATE for every kilobyte, and keep-alive over a day. */
static void overhead_of_a_good_client(void **state)
{
	(void)state;
	struct bytes bytes = {0};
	uint8_t piece[100] = {0};
	engine.context.limits.body_bytes = 10 << 20;
	put_request(&bytes, 1, 0, "POST", "/");
	for (int i = 0; i < 50000; i++) {
		put_frame(&bytes, FRAME_DATA, 0, 1, piece, sizeof(piece));
		if (i % 100 == 0)
			feed(&bytes);
	}
	put_frame(&bytes, FRAME_DATA, FLAG_END_STREAM, 1, NULL, 0);
	feed(&bytes);
	engine.response.body_length = ENGINE_BODY_BYTES;
	for (int32_t id = 3; id < 200; id += 2) {
		put_request(&bytes, id, FLAG_END_STREAM, "GET", "/");
		for (int i = 0; i <= ENGINE_BODY_BYTES / 1024; i++) {
			put_window_update(&bytes, id, 1024);
			put_window_update(&bytes, 0, 1024);
			feed(&bytes);
		}
		assert_int_equal(engine_data_length(id), ENGINE_BODY_BYTES);
		engine.output.length = 0;
	}
	for (int i = 0; i < 86400; i++) {
		put_pings(&bytes, 1, 0);
		feed(&bytes);
		engine.output.length = 0;
		engine.now_ms += 1000;
	}
	assert_fine();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		with_connection(pings),
		with_connection(settings),
		with_connection(settings_entries),
		with_connection(continuations),
		with_connection(client_resets),
		with_connection(resets_of_a_good_client),
		with_connection(stream_errors),
		with_connection(stream_errors_one_by_one),
		with_connection(empty_data),
		with_connection(frames_of_no_use),
		with_connection(overhead_of_a_good_client),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
