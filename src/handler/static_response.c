/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "valkyrie/static_response.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/error.h"
#include "http/conditional.h"
#include "http/field.h"
#include "http/text.h"

enum {
	OWN_FIELDS_MAX = 4, /* content-type, etag, last-modified, allow */
	ETAG_SIZE = 2 + 16, /* quotes around 64 bits in hexadecimal */
};

/* Everything is prepared at creation; handling a request is choosing one of these. */
struct valk_static_response {
	struct valk_response content;
	struct valk_response not_modified;
	struct valk_response precondition_failed;
	struct valk_response options;
	struct valk_response not_allowed;
	struct validators validators;
	bool is_conditional;
	char etag[ETAG_SIZE + 1];
	char last_modified[HTTP_DATE_LENGTH + 1];
	char *text; /* copies of names and values */
	struct valk_field fields[VALK_RESPONSE_FIELDS_MAX];
	struct valk_field validator_fields[2];
};

static const struct valk_field allow_field[] = {{{"allow", 5}, {"GET, HEAD, POST, OPTIONS", 24}}};

static const struct valk_response *handle(void *context, const struct valk_request *request)
{
	const struct valk_static_response *prepared = context;
	switch (request->method) {
	case VALK_METHOD_GET:
	case VALK_METHOD_HEAD:
	case VALK_METHOD_POST:
		break;
	case VALK_METHOD_OPTIONS:
		return &prepared->options;
	default:
		return &prepared->not_allowed;
	}
	if (!prepared->is_conditional)
		return &prepared->content;
	switch (conditional_evaluate(request, &prepared->validators)) {
	case CONDITIONAL_NOT_MODIFIED:
		return &prepared->not_modified;
	case CONDITIONAL_FAILED:
		return &prepared->precondition_failed;
	default:
		return &prepared->content;
	}
}

/* A quick 64-bit digest: tells contents apart, keeps no secret. The same content has the same tag on every machine. */
static uint64_t digest(const uint8_t *bytes, size_t length)
{
	const uint64_t multiplier = 0x9e3779b97f4a7c15U;
	uint64_t hash = length * multiplier;
	for (; length >= 8; bytes += 8, length -= 8) {
		uint64_t word = 0;
		for (int i = 7; i >= 0; i--)
			word = word << 8 | bytes[i];
		hash = (hash ^ word) * multiplier;
		hash ^= hash >> 32;
	}
	for (; length > 0; bytes++, length--)
		hash = (hash ^ *bytes) * multiplier;
	return hash ^ hash >> 29;
}

static enum valk_error check_field(struct valk_text name, struct valk_text value, struct valk_diagnostic *diagnostic)
{
	int name_length = (int)name.length;
	if (!field_name_is_valid(name))
		return diagnose(diagnostic, VALK_ERROR_USAGE,
				"header name '%.*s' is not valid; use letters, digits and hyphens", name_length,
				name.bytes);
	if (field_is_reserved(name))
		return diagnose(diagnostic, VALK_ERROR_USAGE, "header '%.*s' is set by the server itself; leave it out",
				name_length, name.bytes);
	if (!field_value_is_valid(value))
		return diagnose(
			diagnostic, VALK_ERROR_USAGE,
			"value '%.*s' of header '%.*s' is not valid; remove control characters and outer spaces",
			(int)value.length, value.bytes, name_length, name.bytes);
	return VALK_OK;
}

static enum valk_error check(const struct valk_static_config *config, struct valk_diagnostic *diagnostic)
{
	if (config->status != 0 && (config->status < 200 || config->status > 599))
		return diagnose(diagnostic, VALK_ERROR_USAGE, "status %u is not a final HTTP status; give 200 to 599",
				config->status);
	if (config->field_count > VALK_RESPONSE_FIELDS_MAX - OWN_FIELDS_MAX)
		return diagnose(diagnostic, VALK_ERROR_USAGE, "%zu headers are too many; give at most %d",
				config->field_count, VALK_RESPONSE_FIELDS_MAX - OWN_FIELDS_MAX);
	enum valk_error error = VALK_OK;
	if (config->content_type != NULL)
		error = check_field(TEXT("content-type"),
				    (struct valk_text){config->content_type, strlen(config->content_type)}, diagnostic);
	for (size_t i = 0; error == VALK_OK && i < config->field_count; i++)
		error = check_field(config->fields[i].name, config->fields[i].value, diagnostic);
	return error;
}

static struct valk_text copy_text(char **at, struct valk_text text, bool lower)
{
	struct valk_text copy = {*at, text.length};
	for (size_t i = 0; i < text.length; i++) {
		char c = text.bytes[i];
		(*at)[i] = lower && c >= 'A' && c <= 'Z' ? (char)(c + ('a' - 'A')) : c;
	}
	*at += text.length;
	return copy;
}

static void add_field(struct valk_static_response *prepared, struct valk_text name, struct valk_text value)
{
	prepared->fields[prepared->content.field_count++] = (struct valk_field){name, value};
}

/* Copies the configured fields. False when out of memory. */
static bool copy_fields(struct valk_static_response *prepared, const struct valk_static_config *config)
{
	struct valk_text type = {config->content_type, config->content_type != NULL ? strlen(config->content_type) : 0};
	size_t size = type.length + 1;
	for (size_t i = 0; i < config->field_count; i++)
		size += config->fields[i].name.length + config->fields[i].value.length;
	char *at = prepared->text = malloc(size);
	if (at == NULL)
		return false;
	prepared->content.fields = prepared->fields;
	if (type.length > 0)
		add_field(prepared, TEXT("content-type"), copy_text(&at, type, false));
	for (size_t i = 0; i < config->field_count; i++) {
		struct valk_text name = copy_text(&at, config->fields[i].name, true);
		add_field(prepared, name, copy_text(&at, config->fields[i].value, false));
	}
	return true;
}

/* Adds a validator to the content and to the 304. */
static void add_validator(struct valk_static_response *prepared, struct valk_text name, struct valk_text value)
{
	prepared->validator_fields[prepared->not_modified.field_count++] = (struct valk_field){name, value};
	add_field(prepared, name, value);
}

/* RFC 9110 section 13.2.1: conditions are about a response that would be 200. */
static void prepare_conditional(struct valk_static_response *prepared, const struct valk_static_config *config)
{
	if (prepared->content.status != 200)
		return;
	prepared->is_conditional = true;
	prepared->validators.last_modified = -1;
	prepared->not_modified = (struct valk_response){.status = 304, .fields = prepared->validator_fields};
	prepared->precondition_failed = (struct valk_response){.status = 412};
	if (config->etag) {
		snprintf(prepared->etag, sizeof(prepared->etag), "\"%016llx\"",
			 (unsigned long long)digest(config->body, config->body_length));
		prepared->validators.etag = (struct valk_text){prepared->etag, ETAG_SIZE};
		add_validator(prepared, TEXT("etag"), prepared->validators.etag);
	}
	if (config->last_modified != 0) {
		http_date_format(config->last_modified, prepared->last_modified);
		prepared->validators.last_modified = config->last_modified;
		add_validator(prepared, TEXT("last-modified"),
			      (struct valk_text){prepared->last_modified, HTTP_DATE_LENGTH});
	}
}

enum valk_error valk_static_response_create(const struct valk_static_config *config,
					    struct valk_static_response **response, struct valk_diagnostic *diagnostic)
{
	enum valk_error error = check(config, diagnostic);
	if (error != VALK_OK)
		return error;
	struct valk_static_response *prepared = calloc(1, sizeof(*prepared));
	if (prepared == NULL || !copy_fields(prepared, config)) {
		free(prepared);
		return diagnose(diagnostic, VALK_ERROR_MEMORY, "cannot prepare the response: out of memory");
	}
	prepared->content.status = config->status != 0 ? config->status : 200;
	prepared->content.body = config->body;
	prepared->content.body_length = config->body_length;
	prepare_conditional(prepared, config);
	prepared->options = (struct valk_response){.status = 204, .fields = allow_field, .field_count = 1};
	prepared->not_allowed = (struct valk_response){.status = 405, .fields = allow_field, .field_count = 1};
	*response = prepared;
	return VALK_OK;
}

void valk_static_response_destroy(struct valk_static_response *response)
{
	if (response == NULL)
		return;
	free(response->text);
	free(response);
}

struct valk_handler valk_static_response_handler(struct valk_static_response *response)
{
	return (struct valk_handler){handle, response};
}
