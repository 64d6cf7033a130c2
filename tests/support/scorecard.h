/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What every attack is measured by. One server with its default limits; while an attack runs, a bystander on a
 * connection of its own asks every 20 ms. Afterwards all of this must hold, or the test fails with the figure that does
 * not:
 *
 *   the same process is alive and no sanitizer has spoken; resident memory grew by at most 16 MiB during the attack and
 * is within 2 MiB of what it was 5 s after it; the bystander had no failure and a p99 of at most 50 ms; every
 * descriptor is given back within 5 s; 2 s after the end the process uses less than 5 % of a core; a new request is
 * served.
 *
 * Builds with a sanitizer are several times slower and keep freed memory back: there the memory figures are not
 * checked, and the bystander has 500 ms. */
#ifndef SUPPORT_SCORECARD_H
#define SUPPORT_SCORECARD_H

#include "support/h2_client.h"
#include "support/process.h"

/* Starts the server over TLS with `arguments` added. The bystander asks with `method`: GET, or HEAD where the body is
 * large. */
void scorecard_start(const char *const arguments[], const char *method);

/* A group's set-up: a server with its defaults, and GET. */
int scorecard_set_up(void **state);

/* Stops it, and checks that it ends well. A group's tear-down. */
int scorecard_stop(void **state);

/* The server under attack. */
struct server *scorecard_server(void);

/* One line of the scorecard. */
struct scorecard_line {
	void (*attack)(uint16_t port);
};

/* A cmocka test that runs a line's attack against the server's port and checks everything above. */
void scorecard_test(void **line);

/* Ends the bystander, also after a failed attack. */
int scorecard_clean_up(void **line);

#define scorecard_line(attack)                                                                                         \
	{                                                                                                              \
#attack, scorecard_test, NULL, scorecard_clean_up, &(struct scorecard_line)                            \
		{                                                                                                      \
			attack                                                                                         \
		}                                                                                                      \
	}

/* How an attacker's connection ended. */
struct ending {
	bool closed;
	int goaway;	     /* code of the last GOAWAY; -1 without one */
	int status;	     /* of the last response; 0 without one */
	uint32_t reset_code; /* of the last RST_STREAM */
	int resets;	     /* RST_STREAM frames received */
};

/* Sends what `put` appends for 0 to `count` - 1, reading meanwhile; then reads until the server closes or `timeout_ms`
 * pass without a byte. `client` has sent its preface. */
struct ending flood(struct h2_client *client, int count, int timeout_ms, void (*put)(struct bytes *out, int index));

/* Reads until the server closes or `timeout_ms` pass without a byte. */
struct ending read_ending(struct h2_client *client, int timeout_ms);

/* Sends `bytes` (and frees them) on a new connection after the preface, and reads like flood. */
struct ending send_once(uint16_t port, struct bytes *bytes, int timeout_ms);

#endif
