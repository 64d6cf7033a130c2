/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLI_DEFAULT_PAGE_H
#define CLI_DEFAULT_PAGE_H

/* What is served when no body is given: a page a browser shows. NUL-terminated. */
extern const char default_page[];

#endif
