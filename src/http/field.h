/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Syntax of header fields (RFC 9110 section 5, RFC 9113 section 8.2). Any thread. */
#ifndef HTTP_FIELD_H
#define HTTP_FIELD_H

#include "valkyrie/http.h"

/* True for a token (RFC 9110 section 5.6.2): not empty, no separators. */
bool field_name_is_valid(struct valk_text name);

/* True for visible characters, space, tab and bytes from 0x80, without white space at either end. */
bool field_value_is_valid(struct valk_text value);

/* True for fields that a handler may not set because the protocol does: content-length, date, server, and those that
 * are about one connection (RFC 9113 section 8.2.2). `name` in any case. */
bool field_is_reserved(struct valk_text name);

#endif
