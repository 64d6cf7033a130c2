/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE
#include "tls/tls_ticket.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "tls/wolfssl.h"

#include <wolfssl/wolfcrypt/aes.h>

enum { SECRET_SIZE = 32 };

struct ticket_key {
	uint8_t name[TLS_TICKET_NAME_SIZE];
	uint8_t secret[SECRET_SIZE];
	time_t created; /* seconds since 1970 */
	bool exists;
};

/* Immutable once published. Replaced sets stay allocated until the end, because a worker may still read one; there are
 * two a day. */
struct key_set {
	struct ticket_key sealing;
	struct ticket_key previous;
	struct key_set *replaced;
};

struct tls_ticket_keys {
	_Atomic(struct key_set *) current;
};

static bool make_key(struct ticket_key *key, time_t now)
{
	key->created = now;
	key->exists = true;
	return getrandom(key->name, sizeof(key->name), 0) == (ssize_t)sizeof(key->name) &&
	       getrandom(key->secret, sizeof(key->secret), 0) == (ssize_t)sizeof(key->secret);
}

static struct key_set *make_set(time_t now, struct key_set *replaced)
{
	struct key_set *set = calloc(1, sizeof(*set));
	if (set == NULL)
		return NULL;
	if (!make_key(&set->sealing, now)) {
		free(set);
		return NULL;
	}
	if (replaced != NULL)
		set->previous = replaced->sealing;
	set->replaced = replaced;
	return set;
}

struct tls_ticket_keys *tls_ticket_keys_create(time_t now)
{
	struct tls_ticket_keys *keys = calloc(1, sizeof(*keys));
	struct key_set *set = keys != NULL ? make_set(now, NULL) : NULL;
	if (set == NULL) {
		free(keys);
		return NULL;
	}
	atomic_init(&keys->current, set);
	return keys;
}

void tls_ticket_keys_destroy(struct tls_ticket_keys *keys)
{
	if (keys == NULL)
		return;
	struct key_set *set = atomic_load(&keys->current);
	while (set != NULL) {
		struct key_set *replaced = set->replaced;
		explicit_bzero(set, sizeof(*set));
		free(set);
		set = replaced;
	}
	free(keys);
}

bool tls_ticket_keys_rotate(struct tls_ticket_keys *keys, time_t now)
{
	struct key_set *current = atomic_load_explicit(&keys->current, memory_order_relaxed);
	if (now - current->sealing.created < TLS_TICKET_ROTATION_S)
		return true;
	struct key_set *next = make_set(now, current);
	if (next == NULL)
		return false;
	atomic_store_explicit(&keys->current, next, memory_order_release);
	return true;
}

/* What is authenticated beside the ticket itself. */
static void fill_associated_data(const struct tls_ticket_header *header, uint8_t data[TLS_TICKET_NAME_SIZE + 1])
{
	memcpy(data, header->name, TLS_TICKET_NAME_SIZE);
	data[TLS_TICKET_NAME_SIZE] = header->generation;
}

bool tls_ticket_seal(struct tls_ticket_keys *keys, struct tls_ticket_header *header, uint8_t *ticket, size_t length)
{
	const struct ticket_key *key = &atomic_load_explicit(&keys->current, memory_order_acquire)->sealing;
	uint8_t associated[TLS_TICKET_NAME_SIZE + 1];
	Aes aes;
	if (wc_AesInit(&aes, NULL, INVALID_DEVID) != 0)
		return false;
	memcpy(header->name, key->name, TLS_TICKET_NAME_SIZE);
	fill_associated_data(header, associated);
	bool sealed = wc_AesGcmSetKey(&aes, key->secret, SECRET_SIZE) == 0 &&
		      wc_AesGcmEncrypt(&aes, ticket, ticket, (word32)length, header->nonce, TLS_TICKET_NONCE_SIZE,
				       header->tag, TLS_TICKET_TAG_SIZE, associated, sizeof(associated)) == 0;
	wc_AesFree(&aes);
	return sealed;
}

static const struct ticket_key *find_key(const struct key_set *set, const uint8_t name[TLS_TICKET_NAME_SIZE])
{
	if (memcmp(set->sealing.name, name, TLS_TICKET_NAME_SIZE) == 0)
		return &set->sealing;
	if (set->previous.exists && memcmp(set->previous.name, name, TLS_TICKET_NAME_SIZE) == 0)
		return &set->previous;
	return NULL;
}

enum tls_ticket_verdict tls_ticket_open(struct tls_ticket_keys *keys, const struct tls_ticket_header *header,
					uint8_t *ticket, size_t length)
{
	const struct key_set *set = atomic_load_explicit(&keys->current, memory_order_acquire);
	const struct ticket_key *key = find_key(set, header->name);
	uint8_t associated[TLS_TICKET_NAME_SIZE + 1];
	Aes aes;
	if (key == NULL || header->generation >= TLS_TICKET_GENERATIONS_MAX ||
	    wc_AesInit(&aes, NULL, INVALID_DEVID) != 0)
		return TLS_TICKET_REJECTED;
	fill_associated_data(header, associated);
	bool opened = wc_AesGcmSetKey(&aes, key->secret, SECRET_SIZE) == 0 &&
		      wc_AesGcmDecrypt(&aes, ticket, ticket, (word32)length, header->nonce, TLS_TICKET_NONCE_SIZE,
				       header->tag, TLS_TICKET_TAG_SIZE, associated, sizeof(associated)) == 0;
	wc_AesFree(&aes);
	if (!opened)
		return TLS_TICKET_REJECTED;
	return key == &set->sealing ? TLS_TICKET_OPENED : TLS_TICKET_OPENED_OLD_KEY;
}
