/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "http/method.h"

#include "http/text.h"

enum valk_method method_parse(struct valk_text token)
{
	static const struct {
		struct valk_text name;
		enum valk_method method;
	} methods[] = {
		{{"GET", 3}, VALK_METHOD_GET},	       {{"POST", 4}, VALK_METHOD_POST},
		{{"HEAD", 4}, VALK_METHOD_HEAD},       {{"OPTIONS", 7}, VALK_METHOD_OPTIONS},
		{{"PUT", 3}, VALK_METHOD_PUT},	       {{"DELETE", 6}, VALK_METHOD_DELETE},
		{{"PATCH", 5}, VALK_METHOD_PATCH},     {{"TRACE", 5}, VALK_METHOD_TRACE},
		{{"CONNECT", 7}, VALK_METHOD_CONNECT},
	};
	for (size_t i = 0; i < sizeof(methods) / sizeof(methods[0]); i++) {
		if (text_equals(token, methods[i].name))
			return methods[i].method;
	}
	return VALK_METHOD_OTHER;
}
