/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sandbox/confinement.h"

/* Numbers of the kernel's interface (landlock(7)), which grow with its version; the headers of the build machine may be
 * older than the kernel that runs this. */
enum {
	CREATE_RULESET_VERSION = 1,
	FILE_RIGHTS_ABI_1 = 0x1fff,	  /* execute, write, read, read folders, remove, make of all kinds */
	FILE_RIGHT_REFER = 0x2000,	  /* ABI 2 */
	FILE_RIGHT_TRUNCATE = 0x4000,	  /* ABI 3 */
	FILE_RIGHT_IOCTL_DEVICE = 0x8000, /* ABI 5 */
	NET_RIGHTS = 0x3,		  /* ABI 4: bind and connect TCP */
	FILE_RIGHT_READ = 0x4,
	RULE_PATH_BENEATH = 1,
	SCOPES = 0x3, /* ABI 6: abstract UNIX sockets and signals of others */
};

#ifndef SYS_landlock_create_ruleset
enum { SYS_landlock_create_ruleset = 444, SYS_landlock_add_rule = 445, SYS_landlock_restrict_self = 446 };
#endif

struct ruleset {
	uint64_t files;
	uint64_t network;
	uint64_t scoped;
};

struct path_rule {
	uint64_t allowed;
	int32_t descriptor;
} __attribute__((packed)); /* so the kernel's interface has it */

void confinement_forbid_new_privileges(void)
{
	(void)prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
}

/* Everything that this version of the interface can take away. `*size` is what it reads of the struct. */
static struct ruleset all_rights(long abi, size_t *size)
{
	struct ruleset ruleset = {.files = FILE_RIGHTS_ABI_1};
	*size = sizeof(ruleset.files);
	if (abi >= 2)
		ruleset.files |= FILE_RIGHT_REFER;
	if (abi >= 3)
		ruleset.files |= FILE_RIGHT_TRUNCATE;
	if (abi >= 4) {
		ruleset.network = NET_RIGHTS;
		*size = offsetof(struct ruleset, scoped);
	}
	if (abi >= 5)
		ruleset.files |= FILE_RIGHT_IOCTL_DEVICE;
	if (abi >= 6) {
		ruleset.scoped = SCOPES;
		*size = sizeof(ruleset);
	}
	return ruleset;
}

static long allow_random_device(int ruleset)
{
	struct path_rule rule = {FILE_RIGHT_READ, open("/dev/urandom", O_PATH | O_CLOEXEC)};
	long status = syscall(SYS_landlock_add_rule, ruleset, RULE_PATH_BENEATH, &rule, 0);
	if (rule.descriptor >= 0)
		close(rule.descriptor);
	return status;
}

enum valk_error confinement_close_files(bool keep_random_device, struct valk_diagnostic *diagnostic)
{
	long abi = syscall(SYS_landlock_create_ruleset, NULL, (size_t)0, CREATE_RULESET_VERSION);
	if (abi < 1)
		return diagnose(diagnostic, VALK_ERROR_SYSTEM,
				"this kernel has no Landlock (%s); files stay reachable for the server's user",
				strerror(errno));
	size_t size;
	struct ruleset ruleset = all_rights(abi, &size);
	int descriptor = (int)syscall(SYS_landlock_create_ruleset, &ruleset, size, 0);
	/* Without a rule nothing is allowed. */
	long status = descriptor >= 0 ? 0 : -1;
	if (status == 0 && keep_random_device)
		status = allow_random_device(descriptor);
	if (status == 0)
		status = syscall(SYS_landlock_restrict_self, descriptor, 0);
	int reason = errno;
	if (descriptor >= 0)
		close(descriptor);
	if (status != 0)
		return diagnose(diagnostic, VALK_ERROR_SYSTEM,
				"Landlock refuses (%s); files stay reachable for the server's user", strerror(reason));
	return VALK_OK;
}
