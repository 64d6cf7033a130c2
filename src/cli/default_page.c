/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/default_page.h"

const char default_page[] =
	"<!DOCTYPE html>\n"
	"<html lang=\"en\">\n"
	"<meta charset=\"utf-8\">\n"
	"<meta name=\"viewport\" content=\"width=device-width\">\n"
	"<title>Valkyrie is running</title>\n"
	"<style>body{font:1.1em/1.6 system-ui,sans-serif;max-width:38em;margin:15vh auto;padding:0 1em}"
	"code{background:#8882;padding:.1em .3em;border-radius:.2em}@media(prefers-color-scheme:dark)"
	"{body{background:#181a1b;color:#ddd}}</style>\n"
	"<h1>Valkyrie is running</h1>\n"
	"<p>This is the default answer of an HTTP/2 server that has not been told what to serve.</p>\n"
	"<p>Give it <code>--body TEXT</code> or <code>--body-file FILE</code>; <code>valkyrie --help</code> lists the "
	"rest.</p>\n"
	"</html>\n";
