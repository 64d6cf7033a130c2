/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "http/request_head.h"

#include "http/text.h"
#include "support/test.h"

static const struct request_head_limits limits = {.list_bytes = 4096, .field_count = 20, .path_bytes = 1000};
static struct request_head *head;

static int make_head(void **state)
{
	(void)state;
	head = malloc(request_head_size(&limits));
	request_head_init(head, &limits);
	return head == NULL;
}

static int free_head(void **state)
{
	(void)state;
	free(head);
	return 0;
}

static void add(const char *name, const char *value)
{
	request_head_add(head, (struct valk_text){name, strlen(name)}, (struct valk_text){value, strlen(value)});
}

static void add_pseudo(const char *method, const char *path)
{
	add(":method", method);
	add(":scheme", "https");
	add(":authority", "example.com");
	add(":path", path);
}

static void a_plain_request(void **state)
{
	(void)state;
	add_pseudo("POST", "/a?b");
	add("content-length", "12");
	add("expect", "100-continue");
	add("accept", "*/*");
	assert_int_equal(request_head_finish(head, true), 0);
	const struct valk_request *request = &head->request;
	assert_int_equal(request->method, VALK_METHOD_POST);
	assert_true(text_equals(request->path, TEXT("/a?b")));
	assert_true(text_equals(request->authority, TEXT("example.com")));
	assert_int_equal(request->content_length, 12);
	assert_int_equal(request->field_count, 3);
	assert_true(text_equals(request->fields[2].name, TEXT("accept")));
	assert_true(request->has_body);
	assert_true(head->expects_continue);
}

static void host_and_authority(void **state)
{
	(void)state;
	add_pseudo("GET", "/");
	add("host", "EXAMPLE.com");
	assert_int_equal(request_head_finish(head, false), 0);
	request_head_init(head, &limits);
	add_pseudo("GET", "/");
	add("host", "other.example");
	assert_int_equal(request_head_finish(head, false), 400);
	request_head_init(head, &limits);
	add(":method", "GET");
	add(":scheme", "https");
	add(":path", "/");
	add("host", "example.com");
	assert_int_equal(request_head_finish(head, false), 0);
	assert_true(text_equals(head->request.authority, TEXT("example.com")));
	request_head_init(head, &limits);
	add_pseudo("GET", "/");
	add("host", "example.com");
	add("host", "example.com");
	assert_int_equal(request_head_finish(head, false), 400);
}

static void refusals(void **state)
{
	(void)state;
	static const struct {
		const char *method, *path;
		unsigned status;
	} cases[] = {{"GET", "/ok", 0},	    {"get", "/", 501},	     {"BREW", "/", 501},
		     {"CONNECT", "/", 501}, {"TRACE", "/", 0},	     {"GET", "*", 400},
		     {"OPTIONS", "*", 0},   {"GET", "/a/../b", 400}, {"GET", "http://x/", 400}};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		request_head_init(head, &limits);
		add_pseudo(cases[i].method, cases[i].path);
		assert_int_equal(request_head_finish(head, false), cases[i].status);
	}
}

static void long_paths_are_414(void **state)
{
	(void)state;
	char path[1200];
	memset(path, 'a', sizeof(path) - 1);
	path[0] = '/';
	path[1000] = '\0';
	add_pseudo("GET", path);
	assert_int_equal(request_head_finish(head, false), 0);
	path[1000] = 'a';
	path[1001] = '\0';
	request_head_init(head, &limits);
	add_pseudo("GET", path);
	assert_int_equal(request_head_finish(head, false), 414);
}

static void too_many_fields_are_431(void **state)
{
	(void)state;
	add_pseudo("GET", "/");
	for (int i = 0; i < 16; i++)
		add("cookie", "a=b");
	assert_int_equal(request_head_finish(head, false), 0);
	add("cookie", "one more");
	assert_int_equal(request_head_finish(head, false), 431);
}

/* Exactly the limit passes; one byte more does not, however it is spread. */
static void the_list_size_counts_32_a_field(void **state)
{
	(void)state;
	char value[4096];
	memset(value, 'v', sizeof(value));
	add_pseudo("GET", "/");
	size_t left = limits.list_bytes - head->list_bytes - 32 - 1;
	request_head_add(head, TEXT("x"), (struct valk_text){value, left});
	assert_int_equal(head->list_bytes, limits.list_bytes);
	assert_int_equal(request_head_finish(head, false), 0);
	request_head_init(head, &limits);
	add_pseudo("GET", "/");
	request_head_add(head, TEXT("x"), (struct valk_text){value, left + 1});
	assert_int_equal(request_head_finish(head, false), 431);
	/* A bomb after it costs nothing and writes nowhere. */
	for (int i = 0; i < 10000; i++)
		request_head_add(head, TEXT("x"), (struct valk_text){value, sizeof(value)});
	assert_int_equal(request_head_finish(head, false), 431);
}

static void bad_content_lengths(void **state)
{
	(void)state;
	static const char *const bad[] = {"+5", "-1", "", "5 5", "0x5", "99999999999999999999"};
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		request_head_init(head, &limits);
		add_pseudo("POST", "/");
		add("content-length", bad[i]);
		assert_int_equal(request_head_finish(head, true), 400);
	}
	request_head_init(head, &limits);
	add_pseudo("POST", "/");
	add("content-length", "5");
	add("content-length", "5");
	assert_int_equal(request_head_finish(head, true), 400);
}

static void nothing_at_all(void **state)
{
	(void)state;
	assert_int_equal(request_head_finish(head, false), 400);
}

#define with_head(test) cmocka_unit_test_setup_teardown(test, make_head, free_head)

int main(void)
{
	const struct CMUnitTest tests[] = {
		with_head(a_plain_request),
		with_head(host_and_authority),
		with_head(refusals),
		with_head(long_paths_are_414),
		with_head(too_many_fields_are_431),
		with_head(the_list_size_counts_32_a_field),
		with_head(bad_content_lengths),
		with_head(nothing_at_all),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
