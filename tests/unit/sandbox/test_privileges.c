/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE
#include "sandbox/privileges.h"

#include <sys/wait.h>
#include <unistd.h>

#include "support/test.h"

static void users_are_found_by_name_and_number(void **state)
{
	(void)state;
	struct identity by_name, by_number, with_group;
	struct valk_diagnostic diagnostic;
	assert_int_equal(privileges_find("nobody", &by_name, &diagnostic), VALK_OK);
	assert_true(by_name.user != 0);
	char text[32];
	snprintf(text, sizeof(text), "%u", by_name.user);
	assert_int_equal(privileges_find(text, &by_number, &diagnostic), VALK_OK);
	assert_int_equal(by_number.user, by_name.user);
	assert_int_equal(by_number.group, by_name.group);
	assert_int_equal(privileges_find("nobody:12345", &with_group, &diagnostic), VALK_OK);
	assert_int_equal(with_group.user, by_name.user);
	assert_int_equal(with_group.group, 12345);
}

static void others_are_refused(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		const char *reason;
	} wrong[] = {
		{"", "user '' is not a name"},
		{":nogroup", "user ':nogroup' is not a name"},
		{"no-such-user-here", "there is no user 'no-such-user-here'"},
		{"nobody:no-such-group", "there is no group 'no-such-group'"},
		{"root", "user 'root' is root"},
		{"0", "user '0' is root"},
		{"-1", "there is no user '-1'"},
		{"a-name-that-is-longer-than-any-system-would-ever-allow-for-a-user-of-its-own", "is not a name"},
	};
	struct identity identity;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct valk_diagnostic diagnostic = {""};
		assert_int_equal(privileges_find(wrong[i].text, &identity, &diagnostic), VALK_ERROR_USAGE);
		assert_contains(diagnostic.text, wrong[i].reason);
	}
}

/* In a child, for there is no way back. */
static void a_drop_is_final(void **state)
{
	(void)state;
	struct identity identity;
	struct valk_diagnostic diagnostic;
	if (!privileges_are_root())
		skip();
	assert_int_equal(privileges_find("nobody", &identity, &diagnostic), VALK_OK);
	pid_t pid = fork();
	if (pid == 0) {
		bool dropped = privileges_drop(&identity, &diagnostic) == VALK_OK && getuid() == identity.user &&
			       geteuid() == identity.user && getegid() == identity.group && getgroups(0, NULL) == 0 &&
			       setuid(0) != 0;
		/* Dropping to where one is already is no error; to somebody else it is. */
		bool again = privileges_drop(&identity, &diagnostic) == VALK_OK;
		identity.user++;
		_exit(dropped && again && privileges_drop(&identity, &diagnostic) == VALK_ERROR_SYSTEM ? 0 : 1);
	}
	int status;
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(users_are_found_by_name_and_number),
		cmocka_unit_test(others_are_refused),
		cmocka_unit_test(a_drop_is_final),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
