/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "http2/frame_scanner.h"

#include "support/frames.h"
#include "support/test.h"

struct seen {
	size_t count;
	struct frame_header headers[16];
};

static void note(void *context, const struct frame_header *header)
{
	struct seen *seen = context;
	assert_true(seen->count < 16);
	seen->headers[seen->count++] = *header;
}

static void build(struct bytes *bytes)
{
	put_preface(bytes);
	put_request(bytes, 1, FLAG_END_STREAM, "GET", "/");
	put_frame(bytes, 0xee, 0xff, 0x7fffffff, "unknown", 7);
	put_frame(bytes, FRAME_DATA, FLAG_END_STREAM, 3, NULL, 0);
}

static void check(const struct seen *seen)
{
	assert_int_equal(seen->count, 4);
	assert_int_equal(seen->headers[0].type, FRAME_SETTINGS);
	assert_int_equal(seen->headers[1].type, FRAME_HEADERS);
	assert_int_equal(seen->headers[1].stream_id, 1);
	assert_int_equal(seen->headers[1].flags, FLAG_END_STREAM | FLAG_END_HEADERS);
	assert_int_equal(seen->headers[2].type, 0xee);
	assert_int_equal(seen->headers[2].length, 7);
	assert_int_equal(seen->headers[2].stream_id, 0x7fffffff);
	assert_int_equal(seen->headers[3].stream_id, 3);
}

/* However the bytes are cut, the same headers are seen. */
static void any_cut(void **state)
{
	(void)state;
	struct bytes bytes = {0};
	build(&bytes);
	for (size_t step = 1; step <= bytes.length; step++) {
		struct frame_scanner scanner;
		struct seen seen = {0};
		frame_scanner_init(&scanner);
		for (size_t at = 0; at < bytes.length; at += step) {
			size_t length = bytes.length - at < step ? bytes.length - at : step;
			frame_scanner_feed(&scanner, bytes.data + at, length, note, &seen);
		}
		check(&seen);
	}
	bytes_free(&bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(any_cut)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
