/* SPDX-License-Identifier: GPL-3.0-or-later */
/* HTTP/2 frames as raw bytes, for tests: building any, also broken ones, and taking apart what a server sent. */
#ifndef SUPPORT_FRAMES_H
#define SUPPORT_FRAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum frame_type {
	FRAME_DATA,
	FRAME_HEADERS,
	FRAME_PRIORITY,
	FRAME_RST_STREAM,
	FRAME_SETTINGS,
	FRAME_PUSH_PROMISE,
	FRAME_PING,
	FRAME_GOAWAY,
	FRAME_WINDOW_UPDATE,
	FRAME_CONTINUATION,
};

enum { FLAG_ACK = 0x1, FLAG_END_STREAM = 0x1, FLAG_END_HEADERS = 0x4, FLAG_PADDED = 0x8, FLAG_PRIORITY = 0x20 };

enum error_code {
	CODE_NO_ERROR,
	CODE_PROTOCOL_ERROR,
	CODE_INTERNAL_ERROR,
	CODE_FLOW_CONTROL_ERROR,
	CODE_SETTINGS_TIMEOUT,
	CODE_STREAM_CLOSED,
	CODE_FRAME_SIZE_ERROR,
	CODE_REFUSED_STREAM,
	CODE_CANCEL,
	CODE_COMPRESSION_ERROR,
	CODE_CONNECT_ERROR,
	CODE_ENHANCE_YOUR_CALM,
};

/* Growing bytes; aborts when out of memory. Zero-initialise; free with bytes_free. */
struct bytes {
	uint8_t *data;
	size_t length;
	size_t capacity;
};

void bytes_append(struct bytes *bytes, const void *data, size_t length);
void bytes_free(struct bytes *bytes);

/* A frame inside received bytes; `payload` points into them. */
struct frame {
	uint32_t length;
	uint8_t type;
	uint8_t flags;
	int32_t stream_id;
	const uint8_t *payload;
};

struct header {
	const char *name;
	const char *value;
};

/* Appends one frame. */
void put_frame(struct bytes *out, uint8_t type, uint8_t flags, int32_t stream_id, const void *payload, size_t length);

/* Appends the connection preface and an empty SETTINGS frame. */
void put_preface(struct bytes *out);

/* Appends SETTINGS with one entry. */
void put_setting(struct bytes *out, uint16_t id, uint32_t value);

/* Appends WINDOW_UPDATE. */
void put_window_update(struct bytes *out, int32_t stream_id, uint32_t increment);

/* Appends RST_STREAM. */
void put_reset(struct bytes *out, int32_t stream_id, uint32_t code);

/* Appends one field in HPACK's literal form without indexing and Huffman code (RFC 7541 section 6.2.2). */
void put_field(struct bytes *block, const char *name, size_t name_length, const char *value, size_t value_length);

/* Appends a whole header block in one HEADERS frame. `flags` are added to END_HEADERS. */
void put_headers(struct bytes *out, int32_t stream_id, uint8_t flags, const struct header *headers, size_t count);

/* Appends the HEADERS of a plain request; FLAG_END_STREAM in `flags` where there is no body. */
void put_request(struct bytes *out, int32_t stream_id, uint8_t flags, const char *method, const char *path);

/* Takes the next whole frame from `*at`, which moves behind it. False when less than a frame is left. */
bool next_frame(const uint8_t **at, const uint8_t *end, struct frame *frame);

/* Reads a big-endian 32-bit number. */
uint32_t read_u32(const uint8_t *bytes);

#endif
