/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "valkyrie/static_response.h"

#include "http/text.h"
#include "support/test.h"

static const struct valk_response *ask(struct valk_static_response *prepared, enum valk_method method,
				       const struct valk_field *field)
{
	const struct valk_request request = {.method = method, .fields = field, .field_count = field != NULL};
	struct valk_handler handler = valk_static_response_handler(prepared);
	return handler.handle(handler.context, &request);
}

static struct valk_text field_of(const struct valk_response *response, const char *name)
{
	for (size_t i = 0; i < response->field_count; i++) {
		if (text_equals(response->fields[i].name, (struct valk_text){name, strlen(name)}))
			return response->fields[i].value;
	}
	return (struct valk_text){NULL, 0};
}

static void methods(void **state)
{
	(void)state;
	struct valk_static_response *prepared;
	struct valk_diagnostic diagnostic;
	const struct valk_field extra = {TEXT("X-Thing"), TEXT("Yes")};
	const struct valk_static_config config = {.content_type = "text/plain",
						  .fields = &extra,
						  .field_count = 1,
						  .body = (const uint8_t *)"hello",
						  .body_length = 5};
	assert_int_equal(valk_static_response_create(&config, &prepared, &diagnostic), VALK_OK);
	const struct valk_response *response = ask(prepared, VALK_METHOD_GET, NULL);
	assert_int_equal(response->status, 200);
	assert_int_equal(response->body_length, 5);
	assert_ptr_equal(response->body, config.body);			      /* not copied */
	assert_true(text_equals(field_of(response, "x-thing"), TEXT("Yes"))); /* lowercase name, value as given */
	assert_ptr_equal(ask(prepared, VALK_METHOD_HEAD, NULL), response);
	assert_ptr_equal(ask(prepared, VALK_METHOD_POST, NULL), response);
	assert_int_equal(ask(prepared, VALK_METHOD_OPTIONS, NULL)->status, 204);
	assert_true(text_equals(field_of(ask(prepared, VALK_METHOD_OPTIONS, NULL), "allow"),
				TEXT("GET, HEAD, POST, OPTIONS")));
	assert_int_equal(ask(prepared, VALK_METHOD_TRACE, NULL)->status, 405);
	assert_int_equal(ask(prepared, VALK_METHOD_DELETE, NULL)->status, 405);
	valk_static_response_destroy(prepared);
}

static void conditional(void **state)
{
	(void)state;
	struct valk_static_response *prepared;
	struct valk_diagnostic diagnostic;
	struct valk_static_config config = {
		.body = (const uint8_t *)"hello", .body_length = 5, .last_modified = 784111777, .etag = true};
	assert_int_equal(valk_static_response_create(&config, &prepared, &diagnostic), VALK_OK);
	struct valk_text etag = field_of(ask(prepared, VALK_METHOD_GET, NULL), "etag");
	assert_int_equal(etag.length, 18);
	struct valk_field field = {TEXT("if-none-match"), etag};
	assert_int_equal(ask(prepared, VALK_METHOD_GET, &field)->status, 304);
	assert_true(text_equals(field_of(ask(prepared, VALK_METHOD_GET, &field), "etag"), etag));
	field = (struct valk_field){TEXT("if-match"), TEXT("\"x\"")};
	assert_int_equal(ask(prepared, VALK_METHOD_GET, &field)->status, 412);
	field = (struct valk_field){TEXT("if-modified-since"), TEXT("Sun, 06 Nov 1994 08:49:37 GMT")};
	assert_int_equal(ask(prepared, VALK_METHOD_GET, &field)->status, 304);
	valk_static_response_destroy(prepared);

	/* Conditions are about a 200 only. */
	config.status = 503;
	assert_int_equal(valk_static_response_create(&config, &prepared, &diagnostic), VALK_OK);
	assert_int_equal(ask(prepared, VALK_METHOD_GET, &field)->status, 503);
	assert_null(field_of(ask(prepared, VALK_METHOD_GET, NULL), "etag").bytes);
	valk_static_response_destroy(prepared);
}

/* The tag follows the content: any changed byte changes it, and equal content has an equal tag. */
static void entity_tags_follow_the_content(void **state)
{
	(void)state;
	enum { LENGTH = 100 };
	uint8_t body[LENGTH] = {0};
	char tags[LENGTH + 1][18];
	for (int changed = 0; changed <= LENGTH; changed++) {
		struct valk_static_response *prepared;
		struct valk_diagnostic diagnostic;
		const struct valk_static_config config = {.body = body, .body_length = LENGTH, .etag = true};
		if (changed > 0)
			body[changed - 1] ^= 1;
		assert_int_equal(valk_static_response_create(&config, &prepared, &diagnostic), VALK_OK);
		memcpy(tags[changed], field_of(ask(prepared, VALK_METHOD_GET, NULL), "etag").bytes, 18);
		for (int other = 0; other < changed; other++)
			assert_memory_not_equal(tags[other], tags[changed], 18);
		if (changed > 0)
			body[changed - 1] ^= 1;
		valk_static_response_destroy(prepared);
	}
}

/* Without a tag only "*" matches. */
static void no_entity_tag_unless_asked_for(void **state)
{
	(void)state;
	struct valk_static_response *prepared;
	struct valk_diagnostic diagnostic;
	const struct valk_static_config config = {.body = (const uint8_t *)"hello", .body_length = 5};
	assert_int_equal(valk_static_response_create(&config, &prepared, &diagnostic), VALK_OK);
	assert_null(field_of(ask(prepared, VALK_METHOD_GET, NULL), "etag").bytes);
	struct valk_field field = {TEXT("if-none-match"), TEXT("\"\"")};
	assert_int_equal(ask(prepared, VALK_METHOD_GET, &field)->status, 200);
	field.value = TEXT("*");
	assert_int_equal(ask(prepared, VALK_METHOD_GET, &field)->status, 304);
	valk_static_response_destroy(prepared);
}

static void bad_settings(void **state)
{
	(void)state;
	static const struct {
		struct valk_field field;
		unsigned status;
		const char *type;
		const char *message;
	} cases[] = {
		{{{"a b", 3}, {"c", 1}}, 200, NULL, "header name 'a b' is not valid"},
		{{{"a", 1}, {"x\r\ny", 4}}, 200, NULL, "of header 'a' is not valid"},
		{{{"Content-Length", 14}, {"5", 1}}, 200, NULL, "is set by the server itself"},
		{{{"a", 1}, {"b", 1}}, 99, NULL, "status 99"},
		{{{"a", 1}, {"b", 1}}, 600, NULL, "status 600"},
		{{{"a", 1}, {"b", 1}}, 200, "text/\nplain", "content-type"},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct valk_static_response *prepared = NULL;
		struct valk_diagnostic diagnostic;
		const struct valk_static_config config = {.status = cases[i].status,
							  .content_type = cases[i].type,
							  .fields = &cases[i].field,
							  .field_count = 1};
		assert_int_equal(valk_static_response_create(&config, &prepared, &diagnostic), VALK_ERROR_USAGE);
		assert_contains(diagnostic.text, cases[i].message);
		assert_null(prepared);
	}
	valk_static_response_destroy(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(methods), cmocka_unit_test(conditional),
					   cmocka_unit_test(entity_tags_follow_the_content),
					   cmocka_unit_test(no_entity_tag_unless_asked_for),
					   cmocka_unit_test(bad_settings)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
