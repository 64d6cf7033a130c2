/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The public scorecard's lines F (broken frames) and A (abuse of legal ones): each under the invariants of scorecard.h.
 */
#define _GNU_SOURCE
#include <unistd.h>

#include "support/scorecard.h"
#include "support/test.h"

enum {
	PATIENCE_MS = 3000,
	ANSWER_MS = 1500, /* of silence, where the connection may stay open */
};

static void assert_goaway(const struct ending *ending, int code)
{
	if (!ending->closed || ending->goaway != code)
		fail_msg("expected GOAWAY %d and the end, got GOAWAY %d, closed %d, status %d", code, ending->goaway,
			 ending->closed, ending->status);
}

/* Closed, with or without a GOAWAY, and not served. */
static void assert_ended(const struct ending *ending)
{
	if (!ending->closed || ending->status == 200)
		fail_msg("expected the end, got closed %d, status %d", ending->closed, ending->status);
}

static struct h2_client *connect_client(uint16_t port)
{
	struct h2_client *client = client_connect(port, NULL);
	client_send_preface(client);
	return client;
}

static struct ending flood_once(uint16_t port, int count, void (*put)(struct bytes *out, int index))
{
	struct h2_client *client = connect_client(port);
	struct ending ending = flood(client, count, PATIENCE_MS, put);
	client_close(client);
	return ending;
}

/* --- frames ------------------------------------------------------------------------------------------------------- */

static void f01_text_after_alpn_h2(uint16_t port)
{
	struct bytes out = {0};
	struct frame frame;
	struct h2_client *client = client_connect(port, NULL);
	bytes_append(&out, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", 35);
	client_send(client, &out);
	enum read_result result;
	while ((result = client_read(client, &frame, 1000)) == READ_FRAME)
		;
	assert_int_equal(result, READ_CLOSED);
	client_close(client);
}

static void f02_headers_without_settings(uint16_t port)
{
	struct bytes out = {0};
	struct h2_client *client = client_connect(port, NULL);
	bytes_append(&out, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 24);
	put_request(&out, 1, FLAG_END_STREAM, "GET", "/");
	client_send(client, &out);
	struct ending ending = read_ending(client, PATIENCE_MS);
	client_close(client);
	assert_ended(&ending);
}

static void f03_headers_of_16385_bytes(uint16_t port)
{
	static const uint8_t payload[16385];
	struct bytes out = {0};
	put_frame(&out, FRAME_HEADERS, FLAG_END_HEADERS, 1, payload, sizeof(payload));
	struct ending ending = send_once(port, &out, PATIENCE_MS);
	assert_goaway(&ending, CODE_FRAME_SIZE_ERROR);
}

static void f04_settings_with_1000_entries(uint16_t port)
{
	uint8_t entries[6000];
	struct bytes out = {0};
	for (size_t i = 0; i < sizeof(entries); i += 6)
		memcpy(entries + i, "\x00\x04\x00\x00\xff\xff", 6);
	put_frame(&out, FRAME_SETTINGS, 0, 0, entries, sizeof(entries));
	struct ending ending = send_once(port, &out, PATIENCE_MS);
	assert_goaway(&ending, CODE_ENHANCE_YOUR_CALM);
	assert_true(
		server_wait_log(scorecard_server(), "settings (entries of one SETTINGS frame: 1000, limit 32)", 1000));
}

static void f05_reset_on_an_idle_stream(uint16_t port)
{
	struct bytes out = {0};
	put_reset(&out, 7, CODE_CANCEL);
	struct ending ending = send_once(port, &out, PATIENCE_MS);
	assert_goaway(&ending, CODE_PROTOCOL_ERROR);
}

static void f06_stream_5_then_3(uint16_t port)
{
	struct bytes out = {0};
	put_request(&out, 5, FLAG_END_STREAM, "GET", "/");
	put_request(&out, 3, FLAG_END_STREAM, "GET", "/");
	struct ending ending = send_once(port, &out, PATIENCE_MS);
	assert_true(ending.closed);
	assert_true(ending.goaway == CODE_PROTOCOL_ERROR || ending.goaway == CODE_STREAM_CLOSED);
}

static void f07_padding_as_long_as_the_frame(uint16_t port)
{
	struct bytes out = {0};
	put_frame(&out, FRAME_HEADERS, FLAG_PADDED | FLAG_END_HEADERS | FLAG_END_STREAM, 1, "\x02\x82", 2);
	struct ending ending = send_once(port, &out, PATIENCE_MS);
	assert_goaway(&ending, CODE_PROTOCOL_ERROR);
}

static void f08_broken_hpack(uint16_t port)
{
	struct bytes out = {0};
	put_frame(&out, FRAME_HEADERS, FLAG_END_HEADERS | FLAG_END_STREAM, 1, "\x80", 1); /* index 0 */
	struct ending ending = send_once(port, &out, PATIENCE_MS);
	assert_goaway(&ending, CODE_COMPRESSION_ERROR);
	/* A Huffman string that holds EOS. */
	put_frame(&out, FRAME_HEADERS, FLAG_END_HEADERS | FLAG_END_STREAM, 1, "\x00\x84\xff\xff\xff\xff\x01x", 8);
	ending = send_once(port, &out, PATIENCE_MS);
	assert_goaway(&ending, CODE_COMPRESSION_ERROR);
}

static void f10_unknown_frame_type(uint16_t port)
{
	struct bytes out = {0};
	put_frame(&out, 0xfa, 0xff, 0, "whatever", 8);
	put_request(&out, 1, FLAG_END_STREAM, "GET", "/");
	struct ending ending = send_once(port, &out, ANSWER_MS);
	assert_int_equal(ending.status, 200);
	assert_false(ending.closed);
}

/* --- abuse -------------------------------------------------------------------------------------------------------- */

static void put_reset_request(struct bytes *out, int index)
{
	put_request(out, 2 * index + 1, FLAG_END_STREAM, "GET", "/");
	put_reset(out, 2 * index + 1, CODE_CANCEL);
}

static void a01_rapid_reset(uint16_t port)
{
	struct ending ending = flood_once(port, 2000, put_reset_request);
	assert_goaway(&ending, CODE_ENHANCE_YOUR_CALM);
	assert_true(server_wait_log(scorecard_server(),
				    "client-resets (requests reset before their answer: 201, limit 200)", 1000));
}

static void put_overflow(struct bytes *out, int index)
{
	put_request(out, 2 * index + 1, FLAG_END_STREAM, "GET", "/");
	put_window_update(out, 2 * index + 1, 0x7fffffff);
}

/* Ends by L8, or, when they come faster than they are reset, by L5; newer versions of nghttp2 end it at once. */
static void a02_window_overflow(uint16_t port)
{
	struct ending ending = flood_once(port, 2000, put_overflow);
	assert_true(ending.closed);
	assert_true(ending.goaway == CODE_ENHANCE_YOUR_CALM || ending.goaway == CODE_PROTOCOL_ERROR ||
		    ending.goaway == CODE_FLOW_CONTROL_ERROR);
	assert_true(ending.resets <= 500);
}

static void put_open_stream(struct bytes *out, int index)
{
	put_request(out, 2 * index + 1, 0, "POST", "/");
}

static void a05_1000_open_streams(uint16_t port)
{
	struct ending ending = flood_once(port, 1000, put_open_stream);
	assert_true(ending.resets >= 900 || (ending.closed && ending.goaway > 0));
	if (!server_wait_log(scorecard_server(), "streams (concurrent streams: 101, limit 100)", 1000))
		fail_msg("not logged:\n%s", scorecard_server()->log);
}

static void put_ping(struct bytes *out, int index)
{
	(void)index;
	put_frame(out, FRAME_PING, 0, 0, "12345678", 8);
}

static void a06_ping_flood(uint16_t port)
{
	struct ending ending = flood_once(port, 5000, put_ping);
	assert_goaway(&ending, CODE_ENHANCE_YOUR_CALM);
}

static void put_empty_data(struct bytes *out, int index)
{
	if (index == 0)
		put_request(out, 1, 0, "POST", "/");
	put_frame(out, FRAME_DATA, 0, 1, NULL, 0);
}

static void a08_empty_data_flood(uint16_t port)
{
	struct ending ending = flood_once(port, 20000, put_empty_data);
	assert_goaway(&ending, CODE_ENHANCE_YOUR_CALM);
	assert_true(server_wait_log(scorecard_server(), "overhead (bytes beside requests and bodies: 1", 1000));
}

static void put_priority(struct bytes *out, int index)
{
	put_frame(out, FRAME_PRIORITY, 0, 2 * index + 1, "\0\0\0\0\x10", 5);
}

static void a09_priority_flood(uint16_t port)
{
	struct ending ending = flood_once(port, 20000, put_priority);
	assert_goaway(&ending, CODE_ENHANCE_YOUR_CALM);
}

static void put_empty_continuation(struct bytes *out, int index)
{
	if (index == 0)
		put_frame(out, FRAME_HEADERS, FLAG_END_STREAM, 1, "\x82", 1);
	put_frame(out, FRAME_CONTINUATION, 0, 1, NULL, 0);
}

static void a12_empty_continuations(uint16_t port)
{
	struct frame frame;
	struct h2_client *client = connect_client(port);
	/* Its acknowledgement of the settings must not come into the middle of the block. */
	assert_int_equal(client_read_type(client, FRAME_SETTINGS, &frame, PATIENCE_MS), READ_FRAME);
	struct ending ending = flood(client, 1000, PATIENCE_MS, put_empty_continuation);
	client_close(client);
	assert_goaway(&ending, CODE_ENHANCE_YOUR_CALM);
	assert_true(
		server_wait_log(scorecard_server(), "(CONTINUATION frames of one header block: 33, limit 32)", 1000));
}

/* 12,000 fields of 3.9 KB out of one indexed entry, in one frame. */
static void a13_hpack_bomb(uint16_t port)
{
	char value[3900];
	struct bytes out = {0}, block = {0};
	memset(value, 'v', sizeof(value));
	bytes_append(&block, "\x82\x87\x84\x01\x09localhost", 14);
	bytes_append(&block, "\x40\x01x\x7f\xbd\x1d", 6); /* indexed from now on; length 3,900 */
	bytes_append(&block, value, sizeof(value));
	for (int i = 0; i < 12000; i++)
		bytes_append(&block, "\xbe", 1);
	put_frame(&out, FRAME_HEADERS, FLAG_END_STREAM | FLAG_END_HEADERS, 1, block.data, block.length);
	bytes_free(&block);
	struct ending ending = send_once(port, &out, ANSWER_MS);
	assert_int_equal(ending.status, 431);
	assert_true(server_wait_log(scorecard_server(), "stream 1: header-size (bytes of header list: ", 1000));
}

static void a15_100_kilobytes_of_headers(uint16_t port)
{
	char value[15000];
	struct bytes out = {0}, block = {0};
	memset(value, 'v', sizeof(value));
	bytes_append(&block, "\x82\x87\x84\x01\x09localhost", 14);
	put_field(&block, "x", 1, value, sizeof(value) - 100);
	put_frame(&out, FRAME_HEADERS, FLAG_END_STREAM, 1, block.data, block.length);
	for (int i = 0; i < 6; i++) {
		block.length = 0;
		put_field(&block, "x", 1, value, sizeof(value));
		put_frame(&out, FRAME_CONTINUATION, i == 5 ? FLAG_END_HEADERS : 0, 1, block.data, block.length);
	}
	bytes_free(&block);
	struct h2_client *client = connect_client(port);
	struct frame frame;
	assert_int_equal(client_read_type(client, FRAME_SETTINGS, &frame, PATIENCE_MS), READ_FRAME);
	client_send(client, &out);
	struct ending ending = read_ending(client, ANSWER_MS);
	client_close(client);
	assert_true(ending.status == 431 || ending.reset_code != 0 || ending.goaway > 0);
	assert_int_not_equal(ending.status, 200);
}

int main(void)
{
	const struct CMUnitTest lines[] = {
		scorecard_line(f01_text_after_alpn_h2),
		scorecard_line(f02_headers_without_settings),
		scorecard_line(f03_headers_of_16385_bytes),
		scorecard_line(f04_settings_with_1000_entries),
		scorecard_line(f05_reset_on_an_idle_stream),
		scorecard_line(f06_stream_5_then_3),
		scorecard_line(f07_padding_as_long_as_the_frame),
		scorecard_line(f08_broken_hpack),
		scorecard_line(f10_unknown_frame_type),
		scorecard_line(a01_rapid_reset),
		scorecard_line(a02_window_overflow),
		scorecard_line(a05_1000_open_streams),
		scorecard_line(a06_ping_flood),
		scorecard_line(a08_empty_data_flood),
		scorecard_line(a09_priority_flood),
		scorecard_line(a12_empty_continuations),
		scorecard_line(a13_hpack_bomb),
		scorecard_line(a15_100_kilobytes_of_headers),
	};
	return cmocka_run_group_tests(lines, scorecard_set_up, scorecard_stop);
}
