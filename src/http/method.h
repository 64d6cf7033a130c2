/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef HTTP_METHOD_H
#define HTTP_METHOD_H

#include "valkyrie/http.h"

/* The method a token names; methods are case-sensitive (RFC 9110 section 9.1). VALK_METHOD_OTHER when unknown. */
enum valk_method method_parse(struct valk_text token);

#endif
