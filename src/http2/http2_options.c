/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "http2/http2_options.h"

#include "http2/frame_scanner.h"

/* Options that only some versions of nghttp2 have; the build script asks the header and defines HAVE_*. */
#ifdef HAVE_NGHTTP2_OPTION_STREAM_RESET_RATE_LIMIT
static void set_reset_rate(nghttp2_option *options)
{
	/* It counts every reset, also those of streams that were answered; L7 counts the others. */
	nghttp2_option_set_stream_reset_rate_limit(options, UINT32_MAX, UINT32_MAX);
}
#else
static void set_reset_rate(nghttp2_option *options)
{
	(void)options;
}
#endif

#ifdef HAVE_NGHTTP2_OPTION_GLITCH_RATE_LIMIT
static void set_glitch_rate(nghttp2_option *options)
{
	/* Newer versions end the connection after a thousand "suspicious" frames; L8 and L9 say what and why. */
	nghttp2_option_set_glitch_rate_limit(options, UINT32_MAX, UINT32_MAX);
}
#else
static void set_glitch_rate(nghttp2_option *options)
{
	(void)options;
}
#endif

#ifdef HAVE_NGHTTP2_OPTION_MAX_CONTINUATIONS
static void set_continuations(nghttp2_option *options, size_t continuations)
{
	/* Up to 1.64 every partial read of a CONTINUATION's header counts, and a header can come in nine pieces. */
	nghttp2_option_set_max_continuations(options, FRAME_HEADER_SIZE * continuations + 1);
}
#else
static void set_continuations(nghttp2_option *options, size_t continuations)
{
	(void)options;
	(void)continuations;
}
#endif

void http2_options_set(nghttp2_option *options, const struct valk_limits *limits)
{
	nghttp2_option_set_no_auto_window_update(options, 1); /* we consume what we have dealt with */
	nghttp2_option_set_no_closed_streams(options, 1);     /* no memory for streams that are over */
	/* RFC 9218 priorities for clients that announce them, the old ones for the rest. Measured: no difference in
	 * cost. */
	nghttp2_option_set_server_fallback_rfc7540_priorities(options, 1);
	nghttp2_option_set_max_outbound_ack(options, limits->queue_acks);		  /* L11 */
	nghttp2_option_set_max_settings(options, limits->settings_entries);		  /* L11 */
	nghttp2_option_set_builtin_recv_extension_type(options, NGHTTP2_PRIORITY_UPDATE); /* RFC 9218 section 7.1 */
	set_reset_rate(options);
	set_glitch_rate(options);
	set_continuations(options, limits->continuations);
}
