/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the two kinds of injected failures share. Any thread. */
#ifndef FAULTS_INJECT_STATE_H
#define FAULTS_INJECT_STATE_H

#include <stdbool.h>

/* True for a thread of the test's own. */
bool inject_is_exempt(void);

/* Notes that something was made to fail, or that it was not yet. */
void inject_set_happened(bool happened);

#endif
