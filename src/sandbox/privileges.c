/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE
#include "sandbox/privileges.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/parse.h"

bool privileges_are_root(void)
{
	return geteuid() == 0;
}

/* A name or a number. False when there is no such user. */
static bool find_user(const char *text, struct identity *identity)
{
	uint64_t number;
	const struct passwd *entry = getpwnam(text);
	if (entry == NULL && parse_number(text, UINT32_MAX - 1, &number)) {
		identity->user = (uid_t)number;
		identity->group = (gid_t)number;
		entry = getpwuid((uid_t)number);
	} else if (entry == NULL) {
		return false;
	}
	if (entry != NULL) {
		identity->user = entry->pw_uid;
		identity->group = entry->pw_gid;
	}
	return true;
}

static bool find_group(const char *text, struct identity *identity)
{
	uint64_t number;
	const struct group *entry = getgrnam(text);
	if (entry != NULL)
		identity->group = entry->gr_gid;
	else if (parse_number(text, UINT32_MAX - 1, &number))
		identity->group = (gid_t)number;
	else
		return false;
	return true;
}

enum valk_error privileges_find(const char *text, struct identity *identity, struct valk_diagnostic *diagnostic)
{
	char user[sizeof(identity->name)];
	const char *colon = strchr(text, ':');
	size_t length = colon != NULL ? (size_t)(colon - text) : strlen(text);
	if (length == 0 || strlen(text) >= sizeof(user))
		return diagnose(diagnostic, VALK_ERROR_USAGE, "user '%s' is not a name; give USER or USER:GROUP", text);
	memcpy(user, text, length);
	user[length] = '\0';
	memset(identity, 0, sizeof(*identity));
	snprintf(identity->name, sizeof(identity->name), "%s", text);
	if (!find_user(user, identity))
		return diagnose(
			diagnostic, VALK_ERROR_USAGE,
			"there is no user '%s'; create it (useradd --system %s) or give another, such as nobody", user,
			user);
	if (colon != NULL && !find_group(colon + 1, identity))
		return diagnose(diagnostic, VALK_ERROR_USAGE,
				"there is no group '%s'; create it (groupadd --system %s)", colon + 1, colon + 1);
	if (identity->user == 0)
		return diagnose(diagnostic, VALK_ERROR_USAGE,
				"user '%s' is root; give one without rights, or --allow-root to stay root", text);
	return VALK_OK;
}

enum valk_error privileges_change_root(const char *folder, struct valk_diagnostic *diagnostic)
{
	if (chroot(folder) != 0 || chdir("/") != 0)
		return diagnose(diagnostic, VALK_ERROR_SYSTEM, "cannot make %s the root folder: %s; %s", folder,
				strerror(errno),
				errno == EPERM ? "start as root or leave out --chroot" : "give an existing folder");
	return VALK_OK;
}

/* True when root's rights cannot come back. */
static bool is_final(const struct identity *identity)
{
	uid_t real, effective, saved;
	return getresuid(&real, &effective, &saved) == 0 && real == identity->user && effective == identity->user &&
	       saved == identity->user && setuid(0) != 0 && seteuid(0) != 0;
}

enum valk_error privileges_drop(const struct identity *identity, struct valk_diagnostic *diagnostic)
{
	if (geteuid() == identity->user && getegid() == identity->group)
		return VALK_OK;
	if (!privileges_are_root())
		return diagnose(diagnostic, VALK_ERROR_SYSTEM,
				"cannot become user '%s': not started as root; start as root or leave out --user",
				identity->name);
	/* With a change away from user 0 the kernel clears all capabilities (capabilities(7)). */
	if (setgroups(0, NULL) != 0 || setresgid(identity->group, identity->group, identity->group) != 0 ||
	    setresuid(identity->user, identity->user, identity->user) != 0)
		return diagnose(diagnostic, VALK_ERROR_SYSTEM,
				"cannot become user '%s': %s; root in a container may need CAP_SETUID and CAP_SETGID",
				identity->name, strerror(errno));
	if (!is_final(identity))
		return diagnose(
			diagnostic, VALK_ERROR_SYSTEM,
			"user '%s' could become root again: the system keeps capabilities; give --allow-root to "
			"serve all the same",
			identity->name);
	return VALK_OK;
}
