/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef VALKYRIE_VERSION_H
#define VALKYRIE_VERSION_H

#define VALK_VERSION "0.1.0"

#endif
