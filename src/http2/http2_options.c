/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "http2/http2_options.h"

/* Options that only some versions of nghttp2 have; the build script asks the header and defines HAVE_*. */
#ifdef HAVE_NGHTTP2_OPTION_STREAM_RESET_RATE_LIMIT
static void set_reset_rate(nghttp2_option *options)
{
	nghttp2_option_set_stream_reset_rate_limit(options, 200,
						   20); /* L7: burst, and resets a second (CVE-2023-44487) */
}
#else
static void set_reset_rate(nghttp2_option *options)
{
	(void)options;
}
#endif

#ifdef HAVE_NGHTTP2_OPTION_MAX_CONTINUATIONS
static void set_continuations(nghttp2_option *options)
{
	/* L11: up to 1.64 every partial read of a CONTINUATION's header counts; the default 8 ends a legal slow
	 * request. */
	nghttp2_option_set_max_continuations(options, 32);
}
#else
static void set_continuations(nghttp2_option *options)
{
	(void)options;
}
#endif

void http2_options_set(nghttp2_option *options)
{
	nghttp2_option_set_no_auto_window_update(options, 1); /* we consume what we have dealt with */
	nghttp2_option_set_no_closed_streams(options, 1);     /* no memory for streams that are over */
	/* RFC 9218 priorities for clients that announce them, the old ones for the rest. Measured: no difference in
	 * cost. */
	nghttp2_option_set_server_fallback_rfc7540_priorities(options, 1);
	nghttp2_option_set_max_outbound_ack(options, 100);				  /* L11 */
	nghttp2_option_set_max_settings(options, 32);					  /* L11 */
	nghttp2_option_set_builtin_recv_extension_type(options, NGHTTP2_PRIORITY_UPDATE); /* RFC 9218 section 7.1 */
	set_reset_rate(options);
	set_continuations(options);
}
