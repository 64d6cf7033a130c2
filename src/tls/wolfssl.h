/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The one place that includes wolfSSL's headers, and what differs between the versions we build with. */
#ifndef TLS_WOLFSSL_H
#define TLS_WOLFSSL_H

#include <wolfssl/options.h>

#include <wolfssl/ssl.h>
#include <wolfssl/version.h>

/* X25519MLKEM768 exists in wolfSSL since 5.7.4; older builds do without the post-quantum group. */
#if defined(WOLFSSL_HAVE_MLKEM) && LIBWOLFSSL_VERSION_HEX >= 0x05008000
#define TLS_HAVE_X25519MLKEM768 1
#else
#define TLS_HAVE_X25519MLKEM768 0
#endif

#endif
