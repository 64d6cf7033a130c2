/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Requests and responses over TLS, seen by a client that shares no code with the server. */
#define _GNU_SOURCE
#include <unistd.h>

#include "support/h2_client.h"
#include "support/process.h"
#include "support/test.h"

static struct server server;

static int start_server(void **state)
{
	(void)state;
	server_start_tls(&server, (const char *const[]){"--body", "hello", "--content-type", "text/x-test", "--header",
							"X-One: 1", "--header", "x-two:  two words", "--max-body",
							"10K", "--etag", NULL});
	return 0;
}

static int stop_server(void **state)
{
	(void)state;
	server_stop(&server);
	return 0;
}

static struct h2_client *connect_client(void)
{
	struct h2_client *client = client_connect(server.port, NULL);
	client_send_preface(client);
	return client;
}

/* Sends a request of any method on a fresh connection. */
static void ask(const struct header *headers, size_t count, struct response *response)
{
	struct bytes out = {0};
	struct h2_client *client = connect_client();
	put_headers(&out, 1, FLAG_END_STREAM, headers, count);
	assert_true(client_send(client, &out));
	assert_true(client_read_response(client, 1, response, 5000));
	client_close(client);
}

static int status_of(const char *method, const char *path)
{
	struct response response;
	const struct header headers[] = {
		{":method", method}, {":scheme", "https"}, {":authority", "localhost"}, {":path", path}};
	ask(headers, 4, &response);
	response_free(&response);
	return response.status;
}

static void get_has_everything(void **state)
{
	(void)state;
	struct response response;
	struct h2_client *client = connect_client();
	assert_true(client_get(client, 1, "/any/path?query", &response));
	assert_int_equal(response.status, 200);
	assert_int_equal(response.body.length, 5);
	assert_memory_equal(response.body.data, "hello", 5);
	assert_string_equal(response_header(&response, "content-type"), "text/x-test");
	assert_string_equal(response_header(&response, "content-length"), "5");
	assert_string_equal(response_header(&response, "server"), "valkyrie");
	assert_string_equal(response_header(&response, "x-one"), "1");
	assert_string_equal(response_header(&response, "x-two"), "two words");
	assert_int_equal(strlen(response_header(&response, "date")), 29);
	assert_int_equal(strlen(response_header(&response, "etag")), 18);
	assert_int_equal(strlen(response_header(&response, "last-modified")), 29);
	response_free(&response);
	client_close(client);
}

static void methods(void **state)
{
	(void)state;
	assert_int_equal(status_of("GET", "/"), 200);
	assert_int_equal(status_of("POST", "/"), 200);
	assert_int_equal(status_of("OPTIONS", "/"), 204);
	assert_int_equal(status_of("OPTIONS", "*"), 204);
	assert_int_equal(status_of("PUT", "/"), 405);
	assert_int_equal(status_of("DELETE", "/"), 405);
	assert_int_equal(status_of("TRACE", "/"), 405);
	assert_int_equal(status_of("get", "/"), 501);
	assert_int_equal(status_of("BREW", "/"), 501);
}

static void head_has_no_body(void **state)
{
	(void)state;
	struct response response;
	const struct header headers[] = {
		{":method", "HEAD"}, {":scheme", "https"}, {":authority", "localhost"}, {":path", "/"}};
	ask(headers, 4, &response);
	assert_int_equal(response.status, 200);
	assert_int_equal(response.body.length, 0);
	assert_string_equal(response_header(&response, "content-length"), "5");
	response_free(&response);
}

static void options_lists_the_methods(void **state)
{
	(void)state;
	struct response response;
	const struct header headers[] = {
		{":method", "OPTIONS"}, {":scheme", "https"}, {":authority", "localhost"}, {":path", "*"}};
	ask(headers, 4, &response);
	assert_string_equal(response_header(&response, "allow"), "GET, HEAD, POST, OPTIONS");
	assert_string_equal(response_header(&response, "content-length"), "");
	response_free(&response);
}

static void conditional_requests(void **state)
{
	(void)state;
	struct response response;
	struct h2_client *client = connect_client();
	char etag[64];
	assert_true(client_get(client, 1, "/", &response));
	snprintf(etag, sizeof(etag), "%s", response_header(&response, "etag"));
	response_free(&response);
	client_close(client);
	const struct header headers[] = {{":method", "GET"},
					 {":scheme", "https"},
					 {":authority", "localhost"},
					 {":path", "/"},
					 {"if-none-match", etag}};
	ask(headers, 5, &response);
	assert_int_equal(response.status, 304);
	assert_int_equal(response.body.length, 0);
	assert_string_equal(response_header(&response, "etag"), etag);
	response_free(&response);
}

/* Some nghttp2 finds and resets the stream; the rest is ours and gets a 400. */
static void malformed_requests_are_refused(void **state)
{
	(void)state;
	static const char *const reset_paths[] = {"/a b", "nopath", "https://localhost/", "*"};
	for (size_t i = 0; i < sizeof(reset_paths) / sizeof(reset_paths[0]); i++) {
		int status = status_of("GET", reset_paths[i]);
		assert_true(status == 400 || status == 0);
	}
	assert_int_equal(status_of("GET", "/a#b"), 400);
	assert_int_equal(status_of("GET", "/a/../b"), 400);
	assert_int_equal(status_of("GET", "/\xc3\xa4"), 400);
	static const struct header cases[][5] = {
		{{":method", "GET"},
		 {":scheme", "https"},
		 {":authority", "user@localhost"},
		 {":path", "/"},
		 {"x", "y"}},
		{{":method", "GET"}, {":scheme", "ftp"}, {":authority", "localhost"}, {":path", "/"}, {"x", "y"}},
		{{":method", "GET"},
		 {":scheme", "https"},
		 {":authority", "localhost"},
		 {":path", "/"},
		 {"host", "other"}},
		{{":method", "GET"},
		 {":scheme", "https"},
		 {":authority", "localhost"},
		 {":path", "/"},
		 {"x", "a\r\nb: c"}},
		{{":method", "GET"}, {":scheme", "https"}, {":authority", "localhost"}, {":path", "/"}, {"x y", "z"}},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct response response;
		ask(cases[i], 5, &response);
		assert_true(response.status == 400 || response.status == 0);
		response_free(&response);
	}
}

/* RFC 9113 section 8.1.1: malformed requests are stream errors; the connection goes on. */
static void broken_fields_reset_the_stream_only(void **state)
{
	(void)state;
	static const struct header cases[][5] = {
		{{":method", "GET"},
		 {":scheme", "https"},
		 {":authority", "a"},
		 {":path", "/"},
		 {"connection", "close"}},
		{{":method", "GET"}, {":scheme", "https"}, {":authority", "a"}, {":path", "/"}, {"te", "gzip"}},
		{{":method", "GET"}, {":scheme", "https"}, {":authority", "a"}, {":path", "/"}, {"Upper", "x"}},
		{{":method", "GET"}, {":scheme", "https"}, {":authority", "a"}, {":path", "/"}, {":late", "x"}},
		{{":method", "GET"}, {":method", "GET"}, {":scheme", "https"}, {":authority", "a"}, {":path", "/"}},
		{{":method", "GET"}, {":scheme", "https"}, {":path", "/"}, {"x", "y"}, {"z", "no authority"}},
		{{":method", "GET"}, {":scheme", "https"}, {":authority", "a"}, {":path", ""}, {"x", "y"}},
		{{":method", "GET"}, {":authority", "a"}, {":path", "/"}, {"x", "y"}, {"z", "no scheme"}},
		{{":method", "POST"},
		 {":scheme", "https"},
		 {":authority", "a"},
		 {":path", "/"},
		 {"content-length", "7"}},
		{{":method", "POST"},
		 {":scheme", "https"},
		 {":authority", "a"},
		 {":path", "/"},
		 {"content-length", "+0"}},
	};
	struct h2_client *client = connect_client();
	int32_t id = 1;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++, id += 2) {
		struct bytes out = {0};
		struct response response;
		put_headers(&out, id, FLAG_END_STREAM, cases[i], 5);
		assert_true(client_send(client, &out));
		assert_true(client_read_response(client, id, &response, 5000));
		if (response.status != 0 || response.reset_code != CODE_PROTOCOL_ERROR)
			fail_msg("case %zu: status %d, code %u", i, response.status, response.reset_code);
		response_free(&response);
	}
	struct response response;
	assert_true(client_get(client, id, "/", &response));
	assert_int_equal(response.status, 200);
	response_free(&response);
	client_close(client);
}

/* Sends a POST of `length` bytes in padded DATA frames; `announce` adds content-length. */
static void post(struct h2_client *client, int32_t id, size_t length, const char *announce, struct response *response)
{
	struct bytes out = {0};
	uint8_t padded[1011] = {10}; /* pad length, 1000 bytes, 10 of padding */
	const struct header headers[] = {{":method", "POST"},
					 {":scheme", "https"},
					 {":authority", "localhost"},
					 {":path", "/"},
					 {"content-length", announce}};
	put_headers(&out, id, 0, headers, announce != NULL ? 5 : 4);
	for (size_t sent = 0; sent + 1000 <= length; sent += 1000)
		put_frame(&out, FRAME_DATA, FLAG_PADDED, id, padded, sizeof(padded));
	put_frame(&out, FRAME_DATA, FLAG_END_STREAM, id, NULL, 0);
	assert_true(client_send(client, &out));
	assert_true(client_read_response(client, id, response, 5000));
}

static void bodies_are_read_and_limited(void **state)
{
	(void)state;
	struct response response;
	struct h2_client *client = connect_client();
	post(client, 1, 10000, "10000", &response);
	assert_int_equal(response.status, 200);
	response_free(&response);
	post(client, 3, 11000, NULL, &response);
	assert_int_equal(response.status, 413);
	response_free(&response);
	post(client, 5, 11000, "11000", &response);
	assert_int_equal(response.status, 413);
	response_free(&response);
	assert_true(client_get(client, 7, "/", &response)); /* the connection and its window survived */
	assert_int_equal(response.status, 200);
	response_free(&response);
	client_close(client);
}

/* The connection's window is given back, or uploads would stop after a megabyte. */
static void many_uploads_on_one_connection(void **state)
{
	(void)state;
	struct h2_client *client = connect_client();
	for (int i = 0; i < 300; i++) {
		struct response response;
		post(client, 2 * i + 1, 10000, NULL, &response);
		assert_int_equal(response.status, 200);
		response_free(&response);
	}
	client_close(client);
}

static void expect_continue_is_answered(void **state)
{
	(void)state;
	struct bytes out = {0};
	struct frame frame;
	struct response response;
	struct h2_client *client = connect_client();
	const struct header headers[] = {{":method", "POST"},
					 {":scheme", "https"},
					 {":authority", "localhost"},
					 {":path", "/"},
					 {"expect", "100-continue"}};
	put_headers(&out, 1, 0, headers, 5);
	assert_true(client_send(client, &out));
	assert_int_equal(client_read_type(client, FRAME_HEADERS, &frame, 5000), READ_FRAME);
	assert_int_equal(frame.flags & FLAG_END_STREAM, 0);
	put_frame(&out, FRAME_DATA, FLAG_END_STREAM, 1, "x", 1);
	assert_true(client_send(client, &out));
	assert_true(client_read_response(client, 1, &response, 5000));
	response_free(&response);
	client_close(client);
}

static void trailers_are_accepted(void **state)
{
	(void)state;
	struct bytes out = {0};
	struct response response;
	struct h2_client *client = connect_client();
	const struct header trailer = {"x-checksum", "1"};
	put_request(&out, 1, 0, "POST", "/");
	put_frame(&out, FRAME_DATA, 0, 1, "abc", 3);
	put_headers(&out, 1, FLAG_END_STREAM, &trailer, 1);
	assert_true(client_send(client, &out));
	assert_true(client_read_response(client, 1, &response, 5000));
	assert_int_equal(response.status, 200);
	response_free(&response);
	client_close(client);
}

static void header_limits_are_431(void **state)
{
	(void)state;
	struct bytes out = {0}, block = {0};
	struct response response;
	struct h2_client *client = connect_client();
	put_request(&block, 1, 0, "GET", "/");
	size_t request_length = block.length - 9;
	memmove(block.data, block.data + 9, request_length);
	block.length = request_length;
	for (int i = 0; i < 300; i++)
		put_field(&block, "cookie", 6, "a=b", 3);
	put_frame(&out, FRAME_HEADERS, FLAG_END_HEADERS | FLAG_END_STREAM, 1, block.data, block.length);
	assert_true(client_send(client, &out));
	assert_true(client_read_response(client, 1, &response, 5000));
	assert_int_equal(response.status, 431);
	response_free(&response);
	assert_true(client_get(client, 3, "/", &response));
	assert_int_equal(response.status, 200);
	response_free(&response);
	bytes_free(&block);
	client_close(client);
}

static void long_paths_are_414(void **state)
{
	(void)state;
	static char path[9000];
	memset(path, 'a', sizeof(path) - 1);
	path[0] = '/';
	assert_int_equal(status_of("GET", path), 414);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(get_has_everything),
		cmocka_unit_test(methods),
		cmocka_unit_test(head_has_no_body),
		cmocka_unit_test(options_lists_the_methods),
		cmocka_unit_test(conditional_requests),
		cmocka_unit_test(malformed_requests_are_refused),
		cmocka_unit_test(broken_fields_reset_the_stream_only),
		cmocka_unit_test(bodies_are_read_and_limited),
		cmocka_unit_test(many_uploads_on_one_connection),
		cmocka_unit_test(expect_continue_is_answered),
		cmocka_unit_test(trailers_are_accepted),
		cmocka_unit_test(header_limits_are_431),
		cmocka_unit_test(long_paths_are_414),
	};
	return cmocka_run_group_tests(tests, start_server, stop_server);
}
