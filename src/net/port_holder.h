/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef NET_PORT_HOLDER_H
#define NET_PORT_HOLDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Finds a process that listens on TCP `port` and writes "pid 812 (nginx)" to `text`. False when none can be seen,
 * for example because it belongs to another user. Reads /proc; for error messages only. */
bool port_holder_find(uint16_t port, char *text, size_t size);

#endif
