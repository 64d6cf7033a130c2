/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/error.h"

#include "support/test.h"

static void texts_and_scopes(void **state)
{
	(void)state;
	assert_string_equal(valk_error_text(VALK_OK), "no error");
	assert_string_equal(valk_error_text((enum valk_error) - 1000), "unknown error");
	assert_string_equal(valk_error_text((enum valk_error)5), "unknown error");
	assert_int_equal(valk_error_scope(VALK_ERROR_TLS), VALK_SCOPE_CONNECTION);
	assert_int_equal(valk_error_scope(VALK_ERROR_CONFIG), VALK_SCOPE_PROCESS);
	for (int error = VALK_ERROR_CLOSED; error <= VALK_OK; error++)
		assert_string_not_equal(valk_error_text((enum valk_error)error), "unknown error");
}

static void a_diagnostic_is_one_line(void **state)
{
	(void)state;
	struct valk_diagnostic diagnostic;
	assert_int_equal(diagnose(&diagnostic, VALK_ERROR_CONFIG, "file %s is odd", "a\nb\x7f"), VALK_ERROR_CONFIG);
	assert_string_equal(diagnostic.text, "file a?b? is odd");
	char longer[2000];
	memset(longer, 'y', sizeof(longer) - 1);
	longer[sizeof(longer) - 1] = '\0';
	diagnose(&diagnostic, VALK_ERROR_CONFIG, "%s", longer);
	assert_int_equal(strlen(diagnostic.text), sizeof(diagnostic.text) - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(texts_and_scopes),
					   cmocka_unit_test(a_diagnostic_is_one_line)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
