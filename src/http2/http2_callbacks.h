/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef HTTP2_CALLBACKS_H
#define HTTP2_CALLBACKS_H

#include <nghttp2/nghttp2.h>

/* Installs our nghttp2 callbacks; each gets a `struct http2_session *` as user data. None of them calls mem_send,
 * mem_recv, terminate_session or session_del: they record, and http2_session.c acts after nghttp2 returned. */
void http2_callbacks_set(nghttp2_session_callbacks *callbacks);

#endif
