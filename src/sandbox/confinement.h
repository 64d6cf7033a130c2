/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the kernel takes from a process that serves: files, new sockets, new programs. Everything is inherited by
 * threads and cannot be undone. docs/security.md says why each step comes when it does. */
#ifndef SANDBOX_CONFINEMENT_H
#define SANDBOX_CONFINEMENT_H

#include <stdbool.h>

#include "base/error.h"

/* No program that is executed gets more rights than this one has (PR_SET_NO_NEW_PRIVS). Always granted by Linux. */
void confinement_forbid_new_privileges(void);

/* Landlock: from now on no file or folder can be opened, changed or made, and, where the kernel knows these, no TCP
 * port bound or connected (6.7), no signal sent to others (6.12); what is open stays. With `keep_random_device`
 * /dev/urandom can still be read. For the calling thread and those it creates later: call before they exist. Needs
 * no_new_privs. VALK_ERROR_SYSTEM, with the reason in the diagnostic, where the kernel lacks it; then nothing has
 * changed. */
enum valk_error confinement_close_files(bool keep_random_device, struct valk_diagnostic *diagnostic)
	__attribute__((warn_unused_result));

/* seccomp: from now on only the system calls that serving needs are allowed, for all threads; others fail with EPERM.
 * Nothing can be executed, no thread or socket made, and nothing opened unless `keep_opening`. Call when everything
 * runs. Errors as confinement_close_files. */
enum valk_error confinement_limit_calls(bool keep_opening, struct valk_diagnostic *diagnostic)
	__attribute__((warn_unused_result));

#endif
