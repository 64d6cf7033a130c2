/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef HTTP2_OPTIONS_H
#define HTTP2_OPTIONS_H

#include <nghttp2/nghttp2.h>

/* Sets nghttp2's own protections (L7, L11) and what its versions differ in. */
void http2_options_set(nghttp2_option *options);

#endif
