/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "http/conditional.h"

#include "base/clock.h"
#include "http/text.h"

static bool is_separator(char c)
{
	return c == ' ' || c == '\t' || c == ',';
}

/* Length of the entity-tag at `at` including W/ and quotes; 0 when there is none. */
static size_t etag_length(const char *at, const char *end)
{
	const char *open = end - at >= 2 && at[0] == 'W' && at[1] == '/' ? at + 2 : at;
	if (open >= end || *open != '"')
		return 0;
	const char *close = memchr(open + 1, '"', (size_t)(end - open - 1));
	return close == NULL ? 0 : (size_t)(close + 1 - at);
}

/* True when the list holds `etag` or is "*". A weak tag matches only where `weak` comparison is asked for (RFC 9110
 * section 8.8.3.2); our own tags are strong. */
static bool list_matches(struct valk_text list, struct valk_text etag, bool weak)
{
	if (list.length == 1 && list.bytes[0] == '*')
		return true;
	if (etag.bytes == NULL)
		return false;
	const char *at = list.bytes;
	const char *end = list.bytes + list.length;
	while (at < end) {
		if (is_separator(*at)) {
			at++;
			continue;
		}
		size_t length = etag_length(at, end);
		if (length == 0)
			return false;
		bool is_weak = at[0] == 'W';
		struct valk_text candidate = {is_weak ? at + 2 : at, is_weak ? length - 2 : length};
		if ((weak || !is_weak) && text_equals(candidate, etag))
			return true;
		at += length;
	}
	return false;
}

/* The four conditions as they stand in the request; NULL bytes where one is absent. */
struct conditions {
	struct valk_text if_match;
	struct valk_text if_none_match;
	struct valk_text if_modified_since;
	struct valk_text if_unmodified_since;
};

/* Every name starts with "if-", which spares the comparisons for nearly every field of nearly every request. */
static bool find_conditions(const struct valk_request *request, struct conditions *found)
{
	bool any = false;
	memset(found, 0, sizeof(*found));
	for (size_t i = 0; i < request->field_count; i++) {
		struct valk_text name = request->fields[i].name;
		if (name.length < 8 || memcmp(name.bytes, "if-", 3) != 0)
			continue;
		if (text_equals(name, TEXT("if-none-match")))
			found->if_none_match = request->fields[i].value;
		else if (text_equals(name, TEXT("if-modified-since")))
			found->if_modified_since = request->fields[i].value;
		else if (text_equals(name, TEXT("if-match")))
			found->if_match = request->fields[i].value;
		else if (text_equals(name, TEXT("if-unmodified-since")))
			found->if_unmodified_since = request->fields[i].value;
		else
			continue;
		any = true;
	}
	return any;
}

enum conditional_verdict conditional_evaluate(const struct valk_request *request, const struct validators *validators)
{
	struct conditions conditions;
	if (!find_conditions(request, &conditions))
		return CONDITIONAL_PROCEED;
	bool can_be_304 = request->method == VALK_METHOD_GET || request->method == VALK_METHOD_HEAD;
	time_t modified = validators->last_modified;
	if (conditions.if_match.bytes != NULL) {
		if (!list_matches(conditions.if_match, validators->etag, false))
			return CONDITIONAL_FAILED;
	} else if (conditions.if_unmodified_since.bytes != NULL && modified >= 0) {
		time_t date =
			http_date_parse(conditions.if_unmodified_since.bytes, conditions.if_unmodified_since.length);
		if (date >= 0 && modified > date)
			return CONDITIONAL_FAILED;
	}
	if (conditions.if_none_match.bytes != NULL) {
		if (list_matches(conditions.if_none_match, validators->etag, true))
			return can_be_304 ? CONDITIONAL_NOT_MODIFIED : CONDITIONAL_FAILED;
	} else if (conditions.if_modified_since.bytes != NULL && can_be_304 && modified >= 0) {
		time_t date = http_date_parse(conditions.if_modified_since.bytes, conditions.if_modified_since.length);
		if (date >= 0 && modified <= date)
			return CONDITIONAL_NOT_MODIFIED;
	}
	return CONDITIONAL_PROCEED;
}
