/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A raw HTTP/2 client over OpenSSL or bare TCP: it sends whatever bytes a test wants and shows every frame that comes
 * back. Its TLS is not the server's library. Any failure that is not the server's answer fails the test. */
#ifndef SUPPORT_H2_CLIENT_H
#define SUPPORT_H2_CLIENT_H

#include <openssl/ssl.h>

#include "support/frames.h"

struct h2_client;

/* How to connect; zero is a plain good client: TLS, ALPN h2, 127.0.0.1. */
struct client_options {
	bool cleartext;
	bool ipv6;
	int version;	     /* TLS1_2_VERSION, TLS1_3_VERSION; 0: any */
	const char *groups;  /* for example "X25519"; NULL: OpenSSL's */
	const char *suites;  /* TLS 1.2 cipher list; NULL: OpenSSL's */
	const char *alpn;    /* "" sends none; NULL sends h2 */
	SSL_SESSION *resume; /* offered to the server; stays the caller's */
	int receive_buffer;  /* SO_RCVBUF in bytes; 0: the system's */
	bool expect_failure; /* a refused handshake returns NULL instead of failing the test */
};

enum read_result { READ_FRAME, READ_TIMEOUT, READ_CLOSED };

/* A whole response; free with response_free. */
struct response {
	int status; /* 0 when the stream was reset */
	uint32_t reset_code;
	struct bytes body;
	char headers[4096]; /* "name: value\n" lines */
};

struct h2_client *client_connect(uint16_t port, const struct client_options *options);
void client_close(struct h2_client *client);

/* A connected TCP socket, for tests that speak no TLS. Closed by the caller. */
int tcp_connect(uint16_t port, bool ipv6, int receive_buffer);

/* Sends all bytes, and forgets them (`bytes` is emptied). False when the peer closed meanwhile. */
bool client_send(struct h2_client *client, struct bytes *bytes);

/* Sends the preface with empty SETTINGS. */
void client_send_preface(struct h2_client *client);

/* Waits at most `timeout_ms` for the next frame. Its payload lives until the next call. SETTINGS are acknowledged. */
enum read_result client_read(struct h2_client *client, struct frame *frame, int timeout_ms);

/* Reads until a frame of `type` comes; other frames are dropped. */
enum read_result client_read_type(struct h2_client *client, uint8_t type, struct frame *frame, int timeout_ms);

/* Status of a response whose HEADERS frame was just read. Each header block must be decoded once and in order, by this
 * or by client_read_response. */
int client_status(struct h2_client *client, const struct frame *frame);

/* Reads until the connection closes. The code of the last GOAWAY, -1 without one; -2 when it stays open. */
int client_read_until_closed(struct h2_client *client, int timeout_ms);

/* Gives back the flow-control window that a DATA frame used. */
void client_return_window(struct h2_client *client, const struct frame *frame);

/* Reads frames until stream `id` has ended, giving back flow-control window as data comes. False on close or timeout.
 */
bool client_read_response(struct h2_client *client, int32_t id, struct response *response, int timeout_ms);

/* GET on stream `id` and its response. False on close or timeout. */
bool client_get(struct h2_client *client, int32_t id, const char *path, struct response *response);

/* Value of a response header, copied into static storage; "" when absent. */
const char *response_header(const struct response *response, const char *name);
void response_free(struct response *response);

SSL *client_ssl(struct h2_client *client);
int client_socket(struct h2_client *client);

/* The newest session ticket the server sent, or NULL. The caller's: SSL_SESSION_free. */
SSL_SESSION *client_take_session(struct h2_client *client);

#endif
