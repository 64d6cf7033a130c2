/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "http/target.h"

#include "http/text.h"

bool target_scheme_is_valid(struct valk_text scheme)
{
	return text_equals_ignoring_case(scheme, TEXT("https")) || text_equals_ignoring_case(scheme, TEXT("http"));
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* reg-name: unreserved, sub-delims and "%". A table, because every request's authority is looked at. */
static bool is_host_character(char c)
{
	static const bool allowed[256] = {
		['a' ... 'z'] = true, ['A' ... 'Z'] = true, ['0' ... '9'] = true, ['-'] = true, ['.'] = true,
		['_'] = true,	      ['~'] = true,	    ['!'] = true,	  ['$'] = true, ['&'] = true,
		['\''] = true,	      ['('] = true,	    [')'] = true,	  ['*'] = true, ['+'] = true,
		[','] = true,	      [';'] = true,	    ['='] = true,	  ['%'] = true,
	};
	return allowed[(unsigned char)c];
}

/* Length of the host at the start of `authority`; 0 when it is malformed. */
static size_t host_length(struct valk_text authority)
{
	size_t i = 0;
	if (authority.length > 0 && authority.bytes[0] == '[') {
		const char *end = memchr(authority.bytes, ']', authority.length);
		if (end == NULL)
			return 0;
		for (i = 1; authority.bytes + i < end; i++) {
			if (!is_host_character(authority.bytes[i]) && authority.bytes[i] != ':')
				return 0;
		}
		return i > 1 ? i + 1 : 0;
	}
	while (i < authority.length && is_host_character(authority.bytes[i]))
		i++;
	return i;
}

bool target_authority_is_valid(struct valk_text authority)
{
	size_t i = host_length(authority);
	if (i == 0)
		return false;
	if (i == authority.length)
		return true;
	if (authority.bytes[i] != ':')
		return false;
	size_t port_length = authority.length - ++i;
	if (port_length > 5)
		return false;
	for (; i < authority.length; i++) {
		if (!is_digit(authority.bytes[i]))
			return false;
	}
	return true;
}

/* True when the segment that starts at `at` is "..". */
static bool is_parent_segment(const char *at, const char *end)
{
	return end - at >= 2 && at[0] == '.' && at[1] == '.' && (end - at == 2 || at[2] == '/' || at[2] == '?');
}

bool target_path_is_valid(struct valk_text path, enum valk_method method)
{
	if (path.length == 1 && path.bytes[0] == '*')
		return method == VALK_METHOD_OPTIONS;
	if (path.length == 0 || path.bytes[0] != '/')
		return false;
	const char *end = path.bytes + path.length;
	bool in_query = false;
	for (const char *c = path.bytes; c < end; c++) {
		unsigned char byte = (unsigned char)*c;
		if (byte <= 0x20 || byte >= 0x7f || byte == '#')
			return false;
		if (*c == '?')
			in_query = true;
		if (*c == '/' && !in_query && is_parent_segment(c + 1, end))
			return false;
	}
	return true;
}
