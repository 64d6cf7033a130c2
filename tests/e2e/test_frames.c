/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Frames that break RFC 9113, section by section, against one running server: the offender loses its stream or its
 * connection, everybody else goes on. Written after the RFC; covers the sections of the h2spec suite. */
#define _GNU_SOURCE
#include <unistd.h>

#include "support/h2_client.h"
#include "support/process.h"
#include "support/test.h"

static struct server server;

static int start_server(void **state)
{
	(void)state;
	server_start_tls(&server, (const char *const[]){"--body", "hello", NULL});
	return 0;
}

static int stop_server(void **state)
{
	(void)state;
	server_stop(&server);
	return 0;
}

/* Fills bytes that are sent after a good preface. */
typedef void (*build_fn)(struct bytes *out);

static struct h2_client *connect_client(void)
{
	struct h2_client *client = client_connect(server.port, NULL);
	client_send_preface(client);
	return client;
}

/* The server must still serve. */
static void assert_alive(void)
{
	struct response response;
	struct h2_client *client = connect_client();
	assert_true(client_get(client, 1, "/", &response));
	assert_int_equal(response.status, 200);
	response_free(&response);
	client_close(client);
}

/* Expects the connection to end with GOAWAY of `code`. */
static void connection_error(const char *name, build_fn build, int code)
{
	struct bytes out = {0};
	struct h2_client *client = connect_client();
	build(&out);
	client_send(client, &out);
	int got = client_read_until_closed(client, 5000);
	if (got != code)
		fail_msg("%s: expected GOAWAY code %d, got %d", name, code, got);
	client_close(client);
}

/* Expects stream `id` to be reset with `code` and the connection to go on. */
static void stream_error(const char *name, build_fn build, int32_t id, uint32_t code)
{
	struct bytes out = {0};
	struct response response;
	struct h2_client *client = connect_client();
	build(&out);
	client_send(client, &out);
	if (!client_read_response(client, id, &response, 5000) || response.status != 0 || response.reset_code != code)
		fail_msg("%s: expected reset with %u, got status %d code %u", name, code, response.status,
			 response.reset_code);
	response_free(&response);
	if (!client_get(client, 101, "/", &response) || response.status != 200)
		fail_msg("%s: the connection did not go on", name);
	response_free(&response);
	client_close(client);
}

static void headers_of_16385_bytes(struct bytes *out)
{
	static const uint8_t payload[16385];
	put_frame(out, FRAME_HEADERS, FLAG_END_HEADERS, 1, payload, sizeof(payload));
}

static void reset_on_idle_stream(struct bytes *out)
{
	put_reset(out, 1, CODE_CANCEL);
}

static void window_update_on_idle_stream(struct bytes *out)
{
	put_window_update(out, 1, 1);
}

static void data_on_idle_stream(struct bytes *out)
{
	put_frame(out, FRAME_DATA, FLAG_END_STREAM, 1, "x", 1);
}

static void stream_5_then_3(struct bytes *out)
{
	put_request(out, 5, FLAG_END_STREAM, "GET", "/");
	put_request(out, 3, FLAG_END_STREAM, "GET", "/");
}

static void even_stream(struct bytes *out)
{
	put_request(out, 2, FLAG_END_STREAM, "GET", "/");
}

static void padding_as_long_as_the_payload(struct bytes *out)
{
	put_request(out, 1, 0, "POST", "/");
	put_frame(out, FRAME_DATA, FLAG_PADDED | FLAG_END_STREAM, 1, "\x05xxxx", 5);
}

static void headers_padding_too_long(struct bytes *out)
{
	put_frame(out, FRAME_HEADERS, FLAG_PADDED | FLAG_END_HEADERS | FLAG_END_STREAM, 1, "\x10\x82", 2);
}

static void hpack_index_0(struct bytes *out)
{
	put_frame(out, FRAME_HEADERS, FLAG_END_HEADERS | FLAG_END_STREAM, 1, "\x80", 1);
}

static void hpack_index_beyond_the_table(struct bytes *out)
{
	put_frame(out, FRAME_HEADERS, FLAG_END_HEADERS | FLAG_END_STREAM, 1, "\xff\xff\x01", 3);
}

static void hpack_bad_huffman(struct bytes *out)
{
	put_frame(out, FRAME_HEADERS, FLAG_END_HEADERS | FLAG_END_STREAM, 1, "\x00\x84\xff\xff\xff\xff\x01x", 8);
}

static void hpack_table_size_beyond_the_setting(struct bytes *out)
{
	put_frame(out, FRAME_HEADERS, FLAG_END_HEADERS | FLAG_END_STREAM, 1, "\x3f\xe2\x1f\x82", 4);
}

static void settings_of_odd_length(struct bytes *out)
{
	put_frame(out, FRAME_SETTINGS, 0, 0, "abc", 3);
}

static void settings_on_a_stream(struct bytes *out)
{
	put_frame(out, FRAME_SETTINGS, 0, 1, NULL, 0);
}

static void settings_ack_with_payload(struct bytes *out)
{
	put_frame(out, FRAME_SETTINGS, FLAG_ACK, 0, "abcdef", 6);
}

static void settings_window_too_large(struct bytes *out)
{
	put_setting(out, 4, 0x80000000U);
}

static void settings_frame_size_too_small(struct bytes *out)
{
	put_setting(out, 5, 16383);
}

static void settings_push_2(struct bytes *out)
{
	put_setting(out, 2, 2);
}

static void ping_of_6_bytes(struct bytes *out)
{
	put_frame(out, FRAME_PING, 0, 0, "abcdef", 6);
}

static void ping_on_a_stream(struct bytes *out)
{
	put_frame(out, FRAME_PING, 0, 1, "abcdefgh", 8);
}

static void goaway_on_a_stream(struct bytes *out)
{
	put_frame(out, FRAME_GOAWAY, 0, 1, "\0\0\0\0\0\0\0\0", 8);
}

static void push_from_a_client(struct bytes *out)
{
	put_frame(out, FRAME_PUSH_PROMISE, FLAG_END_HEADERS, 1, "\0\0\0\x02\x82", 5);
}

static void priority_on_stream_0(struct bytes *out)
{
	put_frame(out, FRAME_PRIORITY, 0, 0, "\0\0\0\x01\x10", 5);
}

static void headers_on_stream_0(struct bytes *out)
{
	put_request(out, 0, FLAG_END_STREAM, "GET", "/");
}

static void data_on_stream_0(struct bytes *out)
{
	put_frame(out, FRAME_DATA, 0, 0, "x", 1);
}

static void window_of_the_connection_overflows(struct bytes *out)
{
	put_window_update(out, 0, 0x7fffffff);
}

static void window_update_of_0(struct bytes *out)
{
	put_window_update(out, 0, 0);
}

static void continuation_without_headers(struct bytes *out)
{
	put_frame(out, FRAME_CONTINUATION, FLAG_END_HEADERS, 1, "\x82", 1);
}

static void ping_inside_a_header_block(struct bytes *out)
{
	put_frame(out, FRAME_HEADERS, FLAG_END_STREAM, 1, "\x82", 1);
	put_frame(out, FRAME_PING, 0, 0, "abcdefgh", 8);
}

static void connection_errors(void **state)
{
	(void)state;
#define CASE(build, code) connection_error(#build, build, code)
	CASE(headers_of_16385_bytes, CODE_FRAME_SIZE_ERROR);
	CASE(reset_on_idle_stream, CODE_PROTOCOL_ERROR);
	CASE(window_update_on_idle_stream, CODE_PROTOCOL_ERROR);
	CASE(data_on_idle_stream, CODE_PROTOCOL_ERROR);
	CASE(stream_5_then_3, CODE_PROTOCOL_ERROR);
	CASE(even_stream, CODE_PROTOCOL_ERROR);
	CASE(padding_as_long_as_the_payload, CODE_PROTOCOL_ERROR);
	CASE(headers_padding_too_long, CODE_PROTOCOL_ERROR);
	CASE(hpack_index_0, CODE_COMPRESSION_ERROR);
	CASE(hpack_index_beyond_the_table, CODE_COMPRESSION_ERROR);
	CASE(hpack_bad_huffman, CODE_COMPRESSION_ERROR);
	CASE(hpack_table_size_beyond_the_setting, CODE_COMPRESSION_ERROR);
	CASE(settings_of_odd_length, CODE_FRAME_SIZE_ERROR);
	CASE(settings_on_a_stream, CODE_PROTOCOL_ERROR);
	CASE(settings_ack_with_payload, CODE_FRAME_SIZE_ERROR);
	CASE(settings_window_too_large, CODE_FLOW_CONTROL_ERROR);
	CASE(settings_frame_size_too_small, CODE_PROTOCOL_ERROR);
	CASE(settings_push_2, CODE_PROTOCOL_ERROR);
	CASE(ping_of_6_bytes, CODE_FRAME_SIZE_ERROR);
	CASE(ping_on_a_stream, CODE_PROTOCOL_ERROR);
	CASE(goaway_on_a_stream, CODE_PROTOCOL_ERROR);
	CASE(push_from_a_client, CODE_PROTOCOL_ERROR);
	CASE(priority_on_stream_0, CODE_PROTOCOL_ERROR);
	CASE(headers_on_stream_0, CODE_PROTOCOL_ERROR);
	CASE(data_on_stream_0, CODE_PROTOCOL_ERROR);
	CASE(window_of_the_connection_overflows, CODE_FLOW_CONTROL_ERROR);
	CASE(window_update_of_0, CODE_PROTOCOL_ERROR);
	CASE(continuation_without_headers, CODE_PROTOCOL_ERROR);
	CASE(ping_inside_a_header_block, CODE_PROTOCOL_ERROR);
#undef CASE
	assert_alive();
}

static void stream_window_overflows(struct bytes *out)
{
	put_setting(out, 4, 0);
	put_request(out, 1, FLAG_END_STREAM, "GET", "/");
	put_window_update(out, 1, 0x7fffffff);
	put_window_update(out, 1, 0x7fffffff);
}

static void body_longer_than_announced(struct bytes *out)
{
	const struct header headers[] = {{":method", "POST"},
					 {":scheme", "https"},
					 {":authority", "localhost"},
					 {":path", "/"},
					 {"content-length", "1"}};
	put_headers(out, 1, 0, headers, 5);
	put_frame(out, FRAME_DATA, FLAG_END_STREAM, 1, "abc", 3);
}

static void pseudo_field_in_trailers(struct bytes *out)
{
	const struct header trailer = {":path", "/x"};
	put_request(out, 1, 0, "POST", "/");
	put_headers(out, 1, FLAG_END_STREAM, &trailer, 1);
}

/* RFC 9113 section 6.9.1 resets the stream; nghttp2 from 1.66 on ends the connection. Either way with the same code. */
static void an_overflowing_stream_window_is_a_flow_control_error(void **state)
{
	(void)state;
	struct bytes out = {0};
	struct frame frame;
	uint32_t code = CODE_NO_ERROR;
	struct h2_client *client = connect_client();
	stream_window_overflows(&out);
	assert_true(client_send(client, &out));
	while (code == CODE_NO_ERROR && client_read(client, &frame, 5000) == READ_FRAME) {
		if (frame.type == FRAME_RST_STREAM || frame.type == FRAME_GOAWAY)
			code = read_u32(frame.payload + (frame.type == FRAME_GOAWAY ? 4 : 0));
	}
	assert_int_equal(code, CODE_FLOW_CONTROL_ERROR);
	client_close(client);
	assert_alive();
}

static void stream_errors(void **state)
{
	(void)state;
	stream_error("body_longer_than_announced", body_longer_than_announced, 1, CODE_PROTOCOL_ERROR);
	stream_error("pseudo_field_in_trailers", pseudo_field_in_trailers, 1, CODE_PROTOCOL_ERROR);
	assert_alive();
}

/* What looks odd but is legal must work. */
static void legal_oddities(void **state)
{
	(void)state;
	struct bytes out = {0};
	struct response response;
	struct h2_client *client = connect_client();
	put_frame(&out, 0xf0, 0xff, 0, "unknown", 7);
	put_setting(&out, 0xbeef, 42);
	put_frame(&out, FRAME_PRIORITY, 0, 99, "\0\0\0\x01\x10", 5);
	put_request(&out, 1, FLAG_END_STREAM, "GET", "/");
	put_frame(&out, 0xf1, 0, 1, NULL, 0);
	assert_true(client_send(client, &out));
	assert_true(client_read_response(client, 1, &response, 5000));
	assert_int_equal(response.status, 200);
	response_free(&response);

	/* A header block in many CONTINUATION frames, one byte each. */
	struct bytes block = {0};
	put_request(&block, 3, 0, "GET", "/");
	put_frame(&out, FRAME_HEADERS, FLAG_END_STREAM, 3, block.data + 9, block.length - 9 - 20);
	for (size_t i = block.length - 20; i < block.length; i++)
		put_frame(&out, FRAME_CONTINUATION, i == block.length - 1 ? FLAG_END_HEADERS : 0, 3, block.data + i, 1);
	assert_true(client_send(client, &out));
	assert_true(client_read_response(client, 3, &response, 5000));
	assert_int_equal(response.status, 200);
	response_free(&response);
	bytes_free(&block);

	/* PING is answered with its own bytes. */
	struct frame frame;
	put_frame(&out, FRAME_PING, 0, 0, "payload!", 8);
	assert_true(client_send(client, &out));
	assert_int_equal(client_read_type(client, FRAME_PING, &frame, 5000), READ_FRAME);
	assert_int_equal(frame.flags, FLAG_ACK);
	assert_memory_equal(frame.payload, "payload!", 8);
	client_close(client);
}

static void settings_are_acknowledged(void **state)
{
	(void)state;
	struct frame frame;
	struct h2_client *client = connect_client();
	bool acknowledged = false;
	while (!acknowledged && client_read(client, &frame, 5000) == READ_FRAME)
		acknowledged = frame.type == FRAME_SETTINGS && frame.flags == FLAG_ACK;
	assert_true(acknowledged);
	client_close(client);
}

/* F01, F02: what does not begin as HTTP/2 is closed at once and gets no answer. */
static void wrong_beginnings(void **state)
{
	(void)state;
	struct bytes out = {0};
	struct h2_client *client = client_connect(server.port, NULL);
	bytes_append(&out, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", 35);
	assert_true(client_send(client, &out));
	assert_int_not_equal(client_read_until_closed(client, 1000), -2);
	client_close(client);

	client = client_connect(server.port, NULL);
	bytes_append(&out, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 24);
	put_request(&out, 1, FLAG_END_STREAM, "GET", "/");
	assert_true(client_send(client, &out));
	assert_int_not_equal(client_read_until_closed(client, 1000), -2);
	client_close(client);
	assert_alive();
}

/* A client whose acknowledgement of the server's limit has arrived, with `count` requests held open by a shut window.
 */
static struct h2_client *connect_with_open_requests(int count)
{
	struct bytes out = {0};
	struct frame frame;
	struct h2_client *client = connect_client();
	put_setting(&out, 4, 0);
	put_frame(&out, FRAME_PING, 0, 0, "settled?", 8);
	assert_int_equal(client_read_type(client, FRAME_SETTINGS, &frame, 5000), READ_FRAME);
	assert_true(client_send(client, &out));
	assert_int_equal(client_read_type(client, FRAME_PING, &frame, 5000), READ_FRAME);
	for (int i = 0; i < count; i++)
		put_request(&out, 2 * i + 1, FLAG_END_STREAM, "GET", "/");
	assert_true(client_send(client, &out));
	return client;
}

/* 100 requests at a time are served; a client that opens more after it knows the limit loses its connection. */
static void concurrency_is_limited(void **state)
{
	(void)state;
	struct bytes out = {0};
	struct response response;
	struct h2_client *client = connect_with_open_requests(100);
	put_window_update(&out, 199, 100);
	assert_true(client_send(client, &out));
	assert_true(client_read_response(client, 199, &response, 5000));
	assert_int_equal(response.body.length, 5);
	response_free(&response);
	client_close(client);

	client = connect_with_open_requests(101);
	assert_int_equal(client_read_until_closed(client, 5000), CODE_PROTOCOL_ERROR);
	client_close(client);
	assert_alive();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(connection_errors),
		cmocka_unit_test(an_overflowing_stream_window_is_a_flow_control_error),
		cmocka_unit_test(stream_errors),
		cmocka_unit_test(legal_oddities),
		cmocka_unit_test(settings_are_acknowledged),
		cmocka_unit_test(wrong_beginnings),
		cmocka_unit_test(concurrency_is_limited),
	};
	return cmocka_run_group_tests(tests, start_server, stop_server);
}
