/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Validity of what a request names: scheme, authority and path. Any thread. */
#ifndef HTTP_TARGET_H
#define HTTP_TARGET_H

#include "valkyrie/http.h"

/* True for "http" and "https" in any case (RFC 3986 section 3.1). */
bool target_scheme_is_valid(struct valk_text scheme);

/* True for a host with an optional port: not empty, no user information (RFC 9113 section 8.3.1), characters of
 * RFC 3986 section 3.2.2 only. */
bool target_authority_is_valid(struct valk_text authority);

/* True for a path that starts with "/" and for "*" where the method is OPTIONS (RFC 9113 section 8.3.1): visible ASCII
 * without "#", and without a ".." segment, which a client resolves before it sends (RFC 3986 section 5.2.4). */
bool target_path_is_valid(struct valk_text path, enum valk_method method);

#endif
