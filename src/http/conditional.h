/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Conditional requests (RFC 9110 section 13). Any thread. */
#ifndef HTTP_CONDITIONAL_H
#define HTTP_CONDITIONAL_H

#include <time.h>

#include "valkyrie/http.h"

/* What a selected representation is compared by. */
struct validators {
	struct valk_text etag; /* with its quotes; strong; NULL bytes where there is none */
	time_t last_modified;  /* seconds since 1970; -1 when unknown */
};

enum conditional_verdict { CONDITIONAL_PROCEED, CONDITIONAL_NOT_MODIFIED, CONDITIONAL_FAILED };

/* Evaluates If-Match, If-Unmodified-Since, If-None-Match and If-Modified-Since in the order of RFC 9110 section 13.2.2.
 * NOT_MODIFIED (304) is for GET and HEAD only; FAILED means 412. */
enum conditional_verdict conditional_evaluate(const struct valk_request *request, const struct validators *validators);

#endif
