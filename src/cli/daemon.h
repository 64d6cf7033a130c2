/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The daemon's life: create, announce, wait for signals, end. */
#ifndef CLI_DAEMON_H
#define CLI_DAEMON_H

#include "cli/options.h"

/* Checks whether the process may serve as the user it is or is to become, and looks that user up. Before daemon_run.
 * VALK_ERROR_USAGE with a diagnostic. Main thread. */
enum valk_error daemon_check_privileges(struct options *options, struct valk_diagnostic *diagnostic);

/* Serves until told to end. VALK_OK after a graceful or an immediate end; otherwise why it did not start, with a
 * diagnostic. Blocks the process's signals it waits for. Main thread. */
enum valk_error daemon_run(const struct options *options, struct valk_diagnostic *diagnostic);

#endif
