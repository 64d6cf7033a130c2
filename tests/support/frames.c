/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "support/frames.h"

#include <stdlib.h>
#include <string.h>

void bytes_append(struct bytes *bytes, const void *data, size_t length)
{
	if (length == 0)
		return;
	if (bytes->length + length > bytes->capacity) {
		bytes->capacity = (bytes->length + length) * 2;
		bytes->data = realloc(bytes->data, bytes->capacity);
		if (bytes->data == NULL)
			abort();
	}
	memcpy(bytes->data + bytes->length, data, length);
	bytes->length += length;
}

void bytes_free(struct bytes *bytes)
{
	free(bytes->data);
	memset(bytes, 0, sizeof(*bytes));
}

static void put_u32(uint8_t *at, uint32_t value)
{
	at[0] = (uint8_t)(value >> 24);
	at[1] = (uint8_t)(value >> 16);
	at[2] = (uint8_t)(value >> 8);
	at[3] = (uint8_t)value;
}

uint32_t read_u32(const uint8_t *bytes)
{
	return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

void put_frame(struct bytes *out, uint8_t type, uint8_t flags, int32_t stream_id, const void *payload, size_t length)
{
	uint8_t header[9];
	put_u32(header, (uint32_t)length << 8);
	header[3] = type;
	header[4] = flags;
	put_u32(header + 5, (uint32_t)stream_id);
	bytes_append(out, header, sizeof(header));
	bytes_append(out, payload, length);
}

void put_preface(struct bytes *out)
{
	bytes_append(out, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 24);
	put_frame(out, FRAME_SETTINGS, 0, 0, NULL, 0);
}

void put_setting(struct bytes *out, uint16_t id, uint32_t value)
{
	uint8_t payload[6] = {(uint8_t)(id >> 8), (uint8_t)id};
	put_u32(payload + 2, value);
	put_frame(out, FRAME_SETTINGS, 0, 0, payload, sizeof(payload));
}

void put_window_update(struct bytes *out, int32_t stream_id, uint32_t increment)
{
	uint8_t payload[4];
	put_u32(payload, increment);
	put_frame(out, FRAME_WINDOW_UPDATE, 0, stream_id, payload, sizeof(payload));
}

void put_reset(struct bytes *out, int32_t stream_id, uint32_t code)
{
	uint8_t payload[4];
	put_u32(payload, code);
	put_frame(out, FRAME_RST_STREAM, 0, stream_id, payload, sizeof(payload));
}

/* HPACK string without Huffman code; its length has a 7-bit prefix (RFC 7541 section 5.1). */
static void put_string(struct bytes *block, const char *text, size_t length)
{
	uint8_t prefix[6];
	size_t count = 0;
	if (length < 127) {
		prefix[count++] = (uint8_t)length;
	} else {
		prefix[count++] = 127;
		size_t rest = length - 127;
		for (; rest >= 128; rest /= 128)
			prefix[count++] = (uint8_t)(rest % 128 | 128);
		prefix[count++] = (uint8_t)rest;
	}
	bytes_append(block, prefix, count);
	bytes_append(block, text, length);
}

void put_field(struct bytes *block, const char *name, size_t name_length, const char *value, size_t value_length)
{
	bytes_append(block, "", 1); /* 0x00: literal, not indexed, new name */
	put_string(block, name, name_length);
	put_string(block, value, value_length);
}

void put_headers(struct bytes *out, int32_t stream_id, uint8_t flags, const struct header *headers, size_t count)
{
	struct bytes block = {0};
	for (size_t i = 0; i < count; i++)
		put_field(&block, headers[i].name, strlen(headers[i].name), headers[i].value, strlen(headers[i].value));
	put_frame(out, FRAME_HEADERS, flags | FLAG_END_HEADERS, stream_id, block.data, block.length);
	bytes_free(&block);
}

void put_request(struct bytes *out, int32_t stream_id, uint8_t flags, const char *method, const char *path)
{
	const struct header headers[] = {
		{":method", method}, {":scheme", "https"}, {":authority", "localhost"}, {":path", path}};
	put_headers(out, stream_id, flags, headers, 4);
}

bool next_frame(const uint8_t **at, const uint8_t *end, struct frame *frame)
{
	const uint8_t *start = *at;
	if (end - start < 9)
		return false;
	frame->length = read_u32(start) >> 8;
	frame->type = start[3];
	frame->flags = start[4];
	frame->stream_id = (int32_t)(read_u32(start + 5) & 0x7fffffff);
	frame->payload = start + 9;
	if ((size_t)(end - start) < 9 + (size_t)frame->length)
		return false;
	*at = start + 9 + frame->length;
	return true;
}
