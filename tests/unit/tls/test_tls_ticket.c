/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tls/tls_ticket.h"

#include "support/test.h"

enum { LENGTH = 100 };

struct ticket {
	struct tls_ticket_header header;
	uint8_t content[LENGTH];
};

static void seal(struct tls_ticket_keys *keys, struct ticket *ticket)
{
	memset(ticket, 7, sizeof(*ticket));
	assert_true(tls_ticket_seal(keys, &ticket->header, ticket->content, LENGTH));
}

static enum tls_ticket_verdict open_copy(struct tls_ticket_keys *keys, struct ticket ticket)
{
	enum tls_ticket_verdict verdict = tls_ticket_open(keys, &ticket.header, ticket.content, LENGTH);
	for (int i = 0; verdict != TLS_TICKET_REJECTED && i < LENGTH; i++)
		assert_int_equal(ticket.content[i], 7);
	return verdict;
}

/* A chain of resumptions is cut before wolfSSL's one-byte nonce overflows. */
static void old_generations_are_rejected(void **state)
{
	(void)state;
	struct tls_ticket_keys *keys = tls_ticket_keys_create(1000);
	struct ticket ticket;
	memset(&ticket, 7, sizeof(ticket));
	ticket.header.generation = TLS_TICKET_GENERATIONS_MAX - 1;
	assert_true(tls_ticket_seal(keys, &ticket.header, ticket.content, LENGTH));
	assert_int_equal(open_copy(keys, ticket), TLS_TICKET_OPENED);
	memset(&ticket, 7, sizeof(ticket));
	ticket.header.generation = TLS_TICKET_GENERATIONS_MAX;
	assert_true(tls_ticket_seal(keys, &ticket.header, ticket.content, LENGTH));
	assert_int_equal(open_copy(keys, ticket), TLS_TICKET_REJECTED);
	tls_ticket_keys_destroy(keys);
}

static void tickets_open_and_cannot_be_changed(void **state)
{
	(void)state;
	struct tls_ticket_keys *keys = tls_ticket_keys_create(1000);
	struct ticket ticket;
	seal(keys, &ticket);
	assert_int_not_equal(ticket.content[0] == 7 && ticket.content[1] == 7 && ticket.content[2] == 7, 1);
	assert_int_equal(open_copy(keys, ticket), TLS_TICKET_OPENED);
	for (size_t bit = 0; bit < sizeof(ticket) * 8; bit++) {
		struct ticket changed = ticket;
		((uint8_t *)&changed)[bit / 8] ^= (uint8_t)(1 << bit % 8);
		assert_int_equal(open_copy(keys, changed), TLS_TICKET_REJECTED);
	}
	tls_ticket_keys_destroy(keys);
}

static void keys_rotate(void **state)
{
	(void)state;
	struct tls_ticket_keys *keys = tls_ticket_keys_create(1000);
	struct tls_ticket_keys *foreign = tls_ticket_keys_create(1000);
	struct ticket first, second;
	seal(keys, &first);
	assert_int_equal(open_copy(foreign, first), TLS_TICKET_REJECTED);
	assert_true(tls_ticket_keys_rotate(keys, 1000 + TLS_TICKET_ROTATION_S - 1)); /* too early */
	assert_int_equal(open_copy(keys, first), TLS_TICKET_OPENED);
	assert_true(tls_ticket_keys_rotate(keys, 1000 + TLS_TICKET_ROTATION_S));
	assert_int_equal(open_copy(keys, first), TLS_TICKET_OPENED_OLD_KEY);
	seal(keys, &second);
	assert_memory_not_equal(first.header.name, second.header.name, TLS_TICKET_NAME_SIZE);
	assert_true(tls_ticket_keys_rotate(keys, 1000 + 2 * TLS_TICKET_ROTATION_S));
	assert_int_equal(open_copy(keys, first), TLS_TICKET_REJECTED);
	assert_int_equal(open_copy(keys, second), TLS_TICKET_OPENED_OLD_KEY);
	tls_ticket_keys_destroy(keys);
	tls_ticket_keys_destroy(foreign);
	tls_ticket_keys_destroy(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(tickets_open_and_cannot_be_changed),
					   cmocka_unit_test(keys_rotate),
					   cmocka_unit_test(old_generations_are_rejected)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
