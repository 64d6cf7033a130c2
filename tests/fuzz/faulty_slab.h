/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The slab interface on malloc, with an allocation that fails; linked into the fuzz targets instead of src/base/slab.c.
 */
#ifndef FUZZ_FAULTY_SLAB_H
#define FUZZ_FAULTY_SLAB_H

#include <stdbool.h>

#include "base/slab.h"

/* The `nth` allocation from now fails (0: none), and with `sticky` all after it. */
void faulty_slab_fail(unsigned nth, bool sticky);

#endif
