/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Keys for stateless session tickets (RFC 8446 section 4.6.1, RFC 5077), shared by all workers so that a ticket
 * resumes on whichever worker the client reaches. */
#ifndef TLS_TICKET_H
#define TLS_TICKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

struct tls_ticket_keys;

enum {
	TLS_TICKET_NAME_SIZE = 16,
	TLS_TICKET_NONCE_SIZE = 12,
	TLS_TICKET_TAG_SIZE = 16,
	/* wolfSSL carries its one-byte ticket nonce from one resumption to the next and fails the handshake when it
	 * overflows; a full handshake starts it over. */
	TLS_TICKET_GENERATIONS_MAX = 200,
	TLS_TICKET_LIFETIME_S = 12 * 3600, /* told to clients, and how long a replaced key still opens tickets */
	TLS_TICKET_ROTATION_S = 12 * 3600, /* a stolen key opens at most two such periods */
};

enum tls_ticket_verdict { TLS_TICKET_OPENED, TLS_TICKET_OPENED_OLD_KEY, TLS_TICKET_REJECTED };

/* Creates a set with one fresh random key. NULL when out of memory or entropy. The caller destroys it after all
 * workers ended. */
struct tls_ticket_keys *tls_ticket_keys_create(time_t now);

/* Wipes and frees. NULL is allowed. */
void tls_ticket_keys_destroy(struct tls_ticket_keys *keys);

/* Replaces the sealing key when it is older than TLS_TICKET_ROTATION_S; the one before keeps opening. One thread (the
 * main one) calls this; workers see the new key at their next handshake without a lock. False when out of memory or
 * entropy: the old key stays. */
bool tls_ticket_keys_rotate(struct tls_ticket_keys *keys, time_t now);

/* The part of a ticket that is not encrypted; all of it is authenticated. */
struct tls_ticket_header {
	uint8_t name[TLS_TICKET_NAME_SIZE];
	uint8_t nonce[TLS_TICKET_NONCE_SIZE];
	uint8_t tag[TLS_TICKET_TAG_SIZE];
	uint8_t generation; /* resumptions, one from the other, since the full handshake */
};

/* Encrypts `length` bytes in place with AES-256-GCM, writing name and tag of the header. The caller filled `nonce` with
 * random bytes and set `generation`. Any thread. False on failure. */
bool tls_ticket_seal(struct tls_ticket_keys *keys, struct tls_ticket_header *header, uint8_t *ticket, size_t length)
	__attribute__((warn_unused_result));

/* Decrypts in place what `tls_ticket_seal` made. A ticket of generation TLS_TICKET_GENERATIONS_MAX is rejected. Any
 * thread. */
enum tls_ticket_verdict tls_ticket_open(struct tls_ticket_keys *keys, const struct tls_ticket_header *header,
					uint8_t *ticket, size_t length) __attribute__((warn_unused_result));

#endif
