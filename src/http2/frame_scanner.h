/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sees every frame header a client sends, also of the frames that nghttp2 drops without a word: those on closed streams
 * and of unknown types. Pure; one thread. */
#ifndef HTTP2_FRAME_SCANNER_H
#define HTTP2_FRAME_SCANNER_H

#include <stddef.h>
#include <stdint.h>

enum {
	FRAME_HEADER_SIZE = 9,	    /* RFC 9113 section 4.1 */
	CLIENT_PREFACE_LENGTH = 24, /* RFC 9113 section 3.4 */
};

/* A frame header, RFC 9113 section 4.1. */
struct frame_header {
	uint32_t length; /* bytes of payload */
	uint8_t type;
	uint8_t flags;
	int32_t stream_id;
};

struct frame_scanner {
	uint32_t skip; /* bytes before the next header */
	uint8_t partial_length;
	uint8_t partial[FRAME_HEADER_SIZE];
};

/* Starts at the connection's first byte. */
void frame_scanner_init(struct frame_scanner *scanner);

/* Takes the next bytes of the connection and calls `on_frame` for each header that ends in them. */
void frame_scanner_feed(struct frame_scanner *scanner, const uint8_t *bytes, size_t length,
			void (*on_frame)(void *context, const struct frame_header *header), void *context);

#endif
