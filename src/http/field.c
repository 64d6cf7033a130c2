/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "http/field.h"

#include "http/text.h"

static bool is_token_character(unsigned char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       (c != '\0' && strchr("!#$%&'*+-.^_`|~", c) != NULL);
}

bool field_name_is_valid(struct valk_text name)
{
	for (size_t i = 0; i < name.length; i++) {
		if (!is_token_character((unsigned char)name.bytes[i]))
			return false;
	}
	return name.length > 0;
}

static bool is_space(char c)
{
	return c == ' ' || c == '\t';
}

bool field_value_is_valid(struct valk_text value)
{
	for (size_t i = 0; i < value.length; i++) {
		unsigned char c = (unsigned char)value.bytes[i];
		if ((c < 0x20 && c != '\t') || c == 0x7f)
			return false;
	}
	return value.length == 0 || (!is_space(value.bytes[0]) && !is_space(value.bytes[value.length - 1]));
}

bool field_is_reserved(struct valk_text name)
{
	static const struct valk_text reserved[] = {
		{"content-length", 14}, {"date", 4},
		{"server", 6},		{"connection", 10},
		{"keep-alive", 10},	{"proxy-connection", 16},
		{"upgrade", 7},		{"transfer-encoding", 17},
	};
	for (size_t i = 0; i < sizeof(reserved) / sizeof(reserved[0]); i++) {
		if (text_equals_ignoring_case(name, reserved[i]))
			return true;
	}
	return false;
}
