/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The public scorecard's lines V: requests that break HTTP's rules are answered with a status or a reset, never served.
 */
#define _GNU_SOURCE
#include "support/scorecard.h"
#include "support/test.h"

enum { FIELDS_MAX = 10, NOT_SERVED_MS = 3000 };

/* One field with its exact bytes; `name` NULL ends a list. */
struct raw_field {
	const char *name;
	size_t name_length;
	const char *value;
	size_t value_length;
};

#define FIELD(name, value)                                                                                             \
	{                                                                                                              \
		name, sizeof(name) - 1, value, sizeof(value) - 1                                                       \
	}
#define METHOD FIELD(":method", "GET")
#define SCHEME FIELD(":scheme", "https")
#define AUTHORITY FIELD(":authority", "localhost")
#define PATH FIELD(":path", "/")

static void put_fields(struct bytes *out, int32_t id, uint8_t flags, const struct raw_field fields[])
{
	struct bytes block = {0};
	for (int i = 0; i < FIELDS_MAX && fields[i].name != NULL; i++)
		put_field(&block, fields[i].name, fields[i].name_length, fields[i].value, fields[i].value_length);
	put_frame(out, FRAME_HEADERS, (uint8_t)(flags | FLAG_END_HEADERS), id, block.data, block.length);
	bytes_free(&block);
}

/* Sends each request on a connection of its own. It must be refused: 4xx, 501, RST_STREAM or GOAWAY. */
static void assert_refused(uint16_t port, const struct raw_field requests[][FIELDS_MAX], size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct response response = {0};
		struct bytes out = {0};
		struct h2_client *client = client_connect(port, NULL);
		client_send_preface(client);
		put_fields(&out, 1, FLAG_END_STREAM, requests[i]);
		client_send(client, &out);
		bool ended = client_read_response(client, 1, &response, NOT_SERVED_MS);
		bool refused = !ended || response.reset_code != 0 ||
			       (response.status >= 400 && response.status < 500) || response.status == 501;
		if (!refused)
			fail_msg("request %zu got status %d", i, response.status);
		response_free(&response);
		client_close(client);
	}
}
#define REFUSED(requests) assert_refused(port, requests, sizeof(requests) / sizeof((requests)[0]))

static void v01_bytes_no_field_may_hold(uint16_t port)
{
	static const struct raw_field requests[][FIELDS_MAX] = {
		{METHOD, SCHEME, AUTHORITY, PATH, FIELD("x", "a\r\nb: c")},
		{METHOD, SCHEME, AUTHORITY, PATH, FIELD("x", "a\nb")},
		{METHOD, SCHEME, AUTHORITY, PATH, FIELD("x", "a\0b")},
		{METHOD, SCHEME, AUTHORITY, PATH, FIELD("x y", "a")},
		{METHOD, SCHEME, AUTHORITY, PATH, FIELD("X", "a")},
		{METHOD, SCHEME, AUTHORITY, PATH, FIELD("", "a")},
	};
	REFUSED(requests);
}

static void v02_connection_fields(uint16_t port)
{
	static const struct raw_field requests[][FIELDS_MAX] = {
		{METHOD, SCHEME, AUTHORITY, PATH, FIELD("connection", "close")},
		{METHOD, SCHEME, AUTHORITY, PATH, FIELD("transfer-encoding", "chunked")},
		{METHOD, SCHEME, AUTHORITY, PATH, FIELD("te", "gzip")},
		{METHOD, SCHEME, AUTHORITY, PATH, FIELD("upgrade", "websocket")},
		{METHOD, SCHEME, AUTHORITY, PATH, FIELD("keep-alive", "timeout=5")},
		{METHOD, SCHEME, AUTHORITY, PATH, FIELD("proxy-connection", "close")},
	};
	REFUSED(requests);
}

static void v03_host_and_authority(uint16_t port)
{
	static const struct raw_field requests[][FIELDS_MAX] = {
		{METHOD, SCHEME, AUTHORITY, PATH, FIELD("host", "elsewhere")},
		{METHOD, SCHEME, AUTHORITY, PATH, FIELD("host", "localhost"), FIELD("host", "localhost")},
		{METHOD, SCHEME, FIELD(":authority", "user@localhost"), PATH},
		{METHOD, SCHEME, FIELD(":authority", "localhost:99999999"), PATH},
		{METHOD, SCHEME, FIELD(":authority", ""), PATH},
		{METHOD, SCHEME, PATH},
		{METHOD, FIELD(":scheme", "javascript"), AUTHORITY, PATH},
	};
	REFUSED(requests);
}

static void v05_targets(uint16_t port)
{
	static const struct raw_field requests[][FIELDS_MAX] = {
		{METHOD, SCHEME, AUTHORITY, FIELD(":path", "index.html")},
		{METHOD, SCHEME, AUTHORITY, FIELD(":path", "https://localhost/")},
		{METHOD, SCHEME, AUTHORITY, FIELD(":path", "/a#b")},
		{METHOD, SCHEME, AUTHORITY, FIELD(":path", "/a\0b")},
		{METHOD, SCHEME, AUTHORITY, FIELD(":path", "/a b")},
		{METHOD, SCHEME, AUTHORITY, FIELD(":path", "/\xc3\xa4")},
		{METHOD, SCHEME, AUTHORITY, FIELD(":path", "/a/../../etc/passwd")},
		{METHOD, SCHEME, AUTHORITY, FIELD(":path", "*")},
		{METHOD, SCHEME, AUTHORITY, FIELD(":path", "")},
	};
	REFUSED(requests);
}

static void v06_pseudo_fields(uint16_t port)
{
	static const struct raw_field requests[][FIELDS_MAX] = {
		{METHOD, METHOD, SCHEME, AUTHORITY, PATH},
		{METHOD, SCHEME, AUTHORITY, PATH, PATH},
		{METHOD, SCHEME, AUTHORITY, PATH, FIELD(":unknown", "x")},
		{METHOD, SCHEME, AUTHORITY, PATH, FIELD(":status", "200")},
		{METHOD, SCHEME, AUTHORITY, FIELD("x", "y"), PATH},
		{METHOD, SCHEME, AUTHORITY},
		{METHOD, AUTHORITY, PATH},
		{SCHEME, AUTHORITY, PATH},
	};
	static const struct raw_field post[] = {FIELD(":method", "POST"), SCHEME, AUTHORITY, PATH, {NULL, 0, NULL, 0}};
	static const struct raw_field trailers[] = {FIELD(":path", "/other"), {NULL, 0, NULL, 0}};
	struct bytes out = {0};
	REFUSED(requests);
	put_fields(&out, 1, 0, post);
	put_frame(&out, FRAME_DATA, 0, 1, "x", 1);
	put_fields(&out, 1, FLAG_END_STREAM, trailers);
	struct ending ending = send_once(port, &out, 1500);
	assert_int_not_equal(ending.status, 200);
	assert_true(ending.resets > 0 || ending.goaway > 0);
}

static void v08_methods(uint16_t port)
{
	static const struct raw_field requests[][FIELDS_MAX] = {
		{FIELD(":method", "CONNECT"), AUTHORITY},
		{FIELD(":method", "CONNECT"), SCHEME, AUTHORITY, PATH},
		{FIELD(":method", "TRACE"), SCHEME, AUTHORITY, PATH},
		{FIELD(":method", "get"), SCHEME, AUTHORITY, PATH},
		{FIELD(":method", "GET /x"), SCHEME, AUTHORITY, PATH},
		{FIELD(":method", ""), SCHEME, AUTHORITY, PATH},
	};
	REFUSED(requests);
}

static void v09_content_length(uint16_t port)
{
	static const struct raw_field requests[][FIELDS_MAX] = {
		{METHOD, SCHEME, AUTHORITY, PATH, FIELD("content-length", "0"), FIELD("content-length", "0")},
		{METHOD, SCHEME, AUTHORITY, PATH, FIELD("content-length", "+5")},
		{METHOD, SCHEME, AUTHORITY, PATH, FIELD("content-length", "5, 5")},
		{METHOD, SCHEME, AUTHORITY, PATH, FIELD("content-length", "-1")},
		{METHOD, SCHEME, AUTHORITY, PATH, FIELD("content-length", "0x5")},
		{METHOD, SCHEME, AUTHORITY, PATH, FIELD("content-length", "99999999999999999999")},
		{METHOD, SCHEME, AUTHORITY, PATH, FIELD("content-length", "5")}, /* and none comes */
	};
	static const struct raw_field post[] = {
		FIELD(":method", "POST"), SCHEME, AUTHORITY, PATH, FIELD("content-length", "3"), {NULL, 0, NULL, 0}};
	struct bytes out = {0};
	REFUSED(requests);
	put_fields(&out, 1, 0, post);
	put_frame(&out, FRAME_DATA, FLAG_END_STREAM, 1, "12345", 5);
	struct ending ending = send_once(port, &out, 1500);
	assert_int_not_equal(ending.status, 200);
	assert_true(ending.resets > 0 || ending.goaway > 0);
}

int main(void)
{
	const struct CMUnitTest lines[] = {
		scorecard_line(v01_bytes_no_field_may_hold), scorecard_line(v02_connection_fields),
		scorecard_line(v03_host_and_authority),	     scorecard_line(v05_targets),
		scorecard_line(v06_pseudo_fields),	     scorecard_line(v08_methods),
		scorecard_line(v09_content_length),
	};
	return cmocka_run_group_tests(lines, scorecard_set_up, scorecard_stop);
}
