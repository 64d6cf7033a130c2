/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "http2/frame_scanner.h"

#include <string.h>

void frame_scanner_init(struct frame_scanner *scanner)
{
	memset(scanner, 0, sizeof(*scanner));
	scanner->skip = CLIENT_PREFACE_LENGTH;
}

static struct frame_header parse(const uint8_t *bytes)
{
	return (struct frame_header){
		.length = (uint32_t)bytes[0] << 16 | (uint32_t)bytes[1] << 8 | bytes[2],
		.type = bytes[3],
		.flags = bytes[4],
		.stream_id = (int32_t)((uint32_t)(bytes[5] & 0x7f) << 24 | (uint32_t)bytes[6] << 16 |
				       (uint32_t)bytes[7] << 8 | bytes[8]),
	};
}

/* Points at a whole header, or at NULL when the bytes end before. Moves `*at` behind what was used. */
static const uint8_t *take_header(struct frame_scanner *scanner, const uint8_t **at, const uint8_t *end)
{
	size_t left = (size_t)(end - *at);
	if (scanner->partial_length == 0 && left >= FRAME_HEADER_SIZE) {
		const uint8_t *header = *at;
		*at += FRAME_HEADER_SIZE;
		return header;
	}
	size_t missing = (size_t)FRAME_HEADER_SIZE - scanner->partial_length;
	size_t count = left < missing ? left : missing;
	memcpy(scanner->partial + scanner->partial_length, *at, count);
	scanner->partial_length = (uint8_t)(scanner->partial_length + count);
	*at += count;
	if (scanner->partial_length < FRAME_HEADER_SIZE)
		return NULL;
	scanner->partial_length = 0;
	return scanner->partial;
}

void frame_scanner_feed(struct frame_scanner *scanner, const uint8_t *bytes, size_t length,
			void (*on_frame)(void *context, const struct frame_header *header), void *context)
{
	const uint8_t *at = bytes;
	const uint8_t *end = bytes + length;
	while (at < end) {
		if (scanner->skip > 0) {
			size_t count = (size_t)(end - at) < scanner->skip ? (size_t)(end - at) : scanner->skip;
			scanner->skip -= (uint32_t)count;
			at += count;
			continue;
		}
		const uint8_t *header_bytes = take_header(scanner, &at, end);
		if (header_bytes == NULL)
			return;
		struct frame_header header = parse(header_bytes);
		scanner->skip = header.length;
		on_frame(context, &header);
	}
}
