/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Becoming a user without rights. All of this acts on the whole process; main thread, before anything is served. */
#ifndef SANDBOX_PRIVILEGES_H
#define SANDBOX_PRIVILEGES_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/error.h"

/* Whom to become. */
struct identity {
	uid_t user;
	gid_t group;
	char name[64]; /* as given, for messages */
};

/* True when the process is root. */
bool privileges_are_root(void);

/* Looks up `text`, "USER" or "USER:GROUP" by name or number; without a group it is the user's own. VALK_ERROR_USAGE
 * with a diagnostic when there is no such user or group, or when it is root. */
enum valk_error privileges_find(const char *text, struct identity *identity, struct valk_diagnostic *diagnostic)
	__attribute__((warn_unused_result));

/* Makes `folder` the root of the file system the process sees. VALK_ERROR_SYSTEM with a diagnostic. Needs root. */
enum valk_error privileges_change_root(const char *folder, struct valk_diagnostic *diagnostic)
	__attribute__((warn_unused_result));

/* Becomes `identity` for good, without supplementary groups and capabilities, and makes sure that there is no way back.
 * VALK_ERROR_SYSTEM with a diagnostic. Needs root, unless the process is that user already. */
enum valk_error privileges_drop(const struct identity *identity, struct valk_diagnostic *diagnostic)
	__attribute__((warn_unused_result));

#endif
