/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef HTTP2_OPTIONS_H
#define HTTP2_OPTIONS_H

#include <nghttp2/nghttp2.h>

#include "valkyrie/limits.h"

/* Sets nghttp2's own protections and what its versions differ in. Those that http2_flood.c counts and logs itself are
 * set wide here: nghttp2's only end the connection without a word. */
void http2_options_set(nghttp2_option *options, const struct valk_limits *limits);

#endif
