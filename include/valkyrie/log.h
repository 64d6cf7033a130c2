/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef VALKYRIE_LOG_H
#define VALKYRIE_LOG_H

/* How much a line matters. A log set to a level drops the levels after it. */
enum valk_log_level {
	VALK_LOG_ERROR,	  /* something is lost */
	VALK_LOG_WARNING, /* something will be */
	VALK_LOG_NOTICE,  /* start, stop, refusals */
	VALK_LOG_DETAIL,  /* every connection */
};

#endif
