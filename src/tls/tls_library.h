/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Process-wide set-up of wolfSSL. */
#ifndef TLS_LIBRARY_H
#define TLS_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/slab.h"

/* Initialises wolfSSL and routes its allocations through the calling thread's slab. Once, before any thread. */
enum valk_error tls_library_init(void) __attribute__((warn_unused_result));

/* Gives back wolfSSL's globals; when all contexts are destroyed. */
void tls_library_dispose(void);

/* Makes `slab` the allocator of wolfSSL objects on the calling thread; NULL goes back to malloc. An object must be
 * freed by the thread, and under the slab, that created it. */
void tls_library_use_slab(struct slab *slab);

/* True when the library opens /dev/urandom for random numbers instead of asking the kernel (builds without getrandom,
 * as of wolfSSL 5.5): a confined process must keep that file. A child finds out, so call before threads exist. */
bool tls_library_reads_random_device(void);

/* Version of the linked library, for example "wolfSSL 5.9.2". Static storage. */
const char *tls_library_version(void);

/* Writes the accelerated code paths in use on this CPU, for example "AES-NI, AVX2". */
void tls_library_acceleration(char *text, size_t size);

#endif
