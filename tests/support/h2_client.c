/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE
#include "support/h2_client.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <nghttp2/nghttp2.h>
#include <openssl/err.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include "support/clock.h"
#include "support/test.h"

struct h2_client {
	int fd;
	SSL_CTX *context;
	SSL *ssl; /* NULL in cleartext */
	SSL_SESSION *session;
	nghttp2_hd_inflater *inflater;
	struct bytes input;
	size_t taken; /* bytes of `input` that belong to frames already returned */
};

int tcp_connect(uint16_t port, bool ipv6, int receive_buffer)
{
	struct sockaddr_in v4 = {
		.sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	struct sockaddr_in6 v6 = {
		.sin6_family = AF_INET6, .sin6_port = htons(port), .sin6_addr = IN6ADDR_LOOPBACK_INIT};
	int fd = socket(ipv6 ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_true(fd >= 0);
	if (receive_buffer > 0)
		setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof(receive_buffer));
	const struct timeval patience = {.tv_sec = 15}; /* no test waits for ever */
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	int no_delay = 1; /* a test writes small pieces on purpose */
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &no_delay, sizeof(no_delay));
	int connected = ipv6 ? connect(fd, (struct sockaddr *)&v6, sizeof(v6))
			     : connect(fd, (struct sockaddr *)&v4, sizeof(v4));
	if (connected != 0)
		fail_msg("cannot connect to port %u: %s", port, strerror(errno));
	return fd;
}

static int on_new_session(SSL *ssl, SSL_SESSION *session)
{
	struct h2_client *client = SSL_get_app_data(ssl);
	SSL_SESSION_free(client->session);
	client->session = session;
	return 1;
}

static void set_alpn(SSL *ssl, const char *protocol)
{
	unsigned char list[64];
	size_t length = strlen(protocol);
	list[0] = (unsigned char)length;
	memcpy(list + 1, protocol, length);
	assert_int_equal(SSL_set_alpn_protos(ssl, list, (unsigned)length + 1), 0);
}

static bool start_tls(struct h2_client *client, const struct client_options *options)
{
	client->context = SSL_CTX_new(TLS_client_method());
	SSL_CTX_set_session_cache_mode(client->context, SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL);
	SSL_CTX_sess_set_new_cb(client->context, on_new_session);
	SSL_CTX_set_security_level(client->context, 0); /* the tests decide what is offered */
	client->ssl = SSL_new(client->context);
	SSL_set_app_data(client->ssl, client);
	if (options->version != 0) {
		SSL_set_min_proto_version(client->ssl, options->version);
		SSL_set_max_proto_version(client->ssl, options->version);
	}
	if (options->groups != NULL)
		assert_int_equal(SSL_set1_groups_list(client->ssl, options->groups), 1);
	if (options->suites != NULL)
		assert_int_equal(SSL_set_cipher_list(client->ssl, options->suites), 1);
	if (options->alpn == NULL || options->alpn[0] != '\0')
		set_alpn(client->ssl, options->alpn != NULL ? options->alpn : "h2");
	if (options->resume != NULL)
		SSL_set_session(client->ssl, options->resume);
	SSL_set_tlsext_host_name(client->ssl, "localhost");
	SSL_set_fd(client->ssl, client->fd);
	return SSL_connect(client->ssl) == 1;
}

struct h2_client *client_connect(uint16_t port, const struct client_options *options)
{
	static const struct client_options plain;
	if (options == NULL)
		options = &plain;
	signal(SIGPIPE, SIG_IGN);
	struct h2_client *client = calloc(1, sizeof(*client));
	client->fd = tcp_connect(port, options->ipv6, options->receive_buffer);
	nghttp2_hd_inflate_new(&client->inflater);
	if (!options->cleartext && !start_tls(client, options)) {
		char reason[256];
		ERR_error_string_n(ERR_peek_last_error(), reason, sizeof(reason));
		ERR_clear_error();
		client_close(client);
		if (!options->expect_failure)
			fail_msg("TLS handshake failed: %s", reason);
		return NULL;
	}
	return client;
}

void client_close(struct h2_client *client)
{
	if (client == NULL)
		return;
	if (client->ssl != NULL && SSL_is_init_finished(client->ssl))
		SSL_shutdown(client->ssl); /* without it OpenSSL spoils the session for resumption */
	ERR_clear_error();
	SSL_free(client->ssl);
	SSL_SESSION_free(client->session);
	SSL_CTX_free(client->context);
	nghttp2_hd_inflate_del(client->inflater);
	bytes_free(&client->input);
	close(client->fd);
	free(client);
}

bool client_send(struct h2_client *client, struct bytes *bytes)
{
	size_t sent = 0;
	bool alive = true;
	while (alive && sent < bytes->length) {
		ssize_t count = client->ssl != NULL
					? SSL_write(client->ssl, bytes->data + sent, (int)(bytes->length - sent))
					: send(client->fd, bytes->data + sent, bytes->length - sent, MSG_NOSIGNAL);
		alive = count > 0;
		sent += alive ? (size_t)count : 0;
	}
	ERR_clear_error();
	bytes_free(bytes);
	return alive;
}

void client_send_preface(struct h2_client *client)
{
	struct bytes out = {0};
	put_preface(&out);
	assert_true(client_send(client, &out));
}

/* Waits for bytes and appends them to the input. */
static enum read_result fill(struct h2_client *client, int timeout_ms)
{
	uint8_t chunk[32768];
	if (client->ssl == NULL || SSL_pending(client->ssl) == 0) {
		struct pollfd polled = {.fd = client->fd, .events = POLLIN};
		if (poll(&polled, 1, timeout_ms) == 0)
			return READ_TIMEOUT;
	}
	ssize_t count = client->ssl != NULL ? SSL_read(client->ssl, chunk, sizeof(chunk))
					    : recv(client->fd, chunk, sizeof(chunk), 0);
	ERR_clear_error();
	if (count <= 0)
		return READ_CLOSED;
	bytes_append(&client->input, chunk, (size_t)count);
	return READ_FRAME;
}

static void acknowledge_settings(struct h2_client *client, const struct frame *frame)
{
	struct bytes out = {0};
	if (frame->type != FRAME_SETTINGS || (frame->flags & FLAG_ACK) != 0)
		return;
	put_frame(&out, FRAME_SETTINGS, FLAG_ACK, 0, NULL, 0);
	client_send(client, &out);
}

enum read_result client_read(struct h2_client *client, struct frame *frame, int timeout_ms)
{
	int64_t deadline = now_ms() + timeout_ms;
	for (;;) {
		const uint8_t *at = client->input.data + client->taken;
		if (next_frame(&at, client->input.data + client->input.length, frame)) {
			client->taken = (size_t)(at - client->input.data);
			acknowledge_settings(client, frame);
			return READ_FRAME;
		}
		size_t rest = client->input.length - client->taken;
		if (client->taken > 0)
			memmove(client->input.data, client->input.data + client->taken, rest);
		client->input.length = rest;
		client->taken = 0;
		int64_t left = deadline - now_ms();
		enum read_result result = fill(client, left > 0 ? (int)left : 0);
		if (result != READ_FRAME)
			return result;
	}
}

enum read_result client_read_type(struct h2_client *client, uint8_t type, struct frame *frame, int timeout_ms)
{
	enum read_result result;
	do {
		result = client_read(client, frame, timeout_ms);
	} while (result == READ_FRAME && frame->type != type);
	return result;
}

int client_read_until_closed(struct h2_client *client, int timeout_ms)
{
	struct frame frame;
	int64_t deadline = now_ms() + timeout_ms;
	int code = -1;
	for (;;) {
		int64_t left = deadline - now_ms();
		switch (client_read(client, &frame, left > 0 ? (int)left : 0)) {
		case READ_CLOSED:
			return code;
		case READ_TIMEOUT:
			return -2;
		default:
			if (frame.type == FRAME_GOAWAY)
				code = (int)read_u32(frame.payload + 4);
		}
	}
}

/* Decodes a header block into the response. */
static void decode_headers(struct h2_client *client, const struct frame *frame, struct response *response)
{
	const uint8_t *at = frame->payload;
	size_t left = frame->length;
	size_t used = 0;
	for (;;) {
		nghttp2_nv field;
		int flags = 0;
		ssize_t count = nghttp2_hd_inflate_hd2(client->inflater, &field, &flags, at, left, 1);
		assert_true(count >= 0);
		at += count;
		left -= (size_t)count;
		if ((flags & NGHTTP2_HD_INFLATE_EMIT) != 0) {
			if (field.namelen == 7 && memcmp(field.name, ":status", 7) == 0)
				response->status = atoi((const char *)field.value);
			used += (size_t)snprintf(response->headers + used, sizeof(response->headers) - used,
						 "%.*s: %.*s\n", (int)field.namelen, field.name, (int)field.valuelen,
						 field.value);
			assert_true(used < sizeof(response->headers));
		}
		if ((flags & NGHTTP2_HD_INFLATE_FINAL) != 0)
			break;
	}
	nghttp2_hd_inflate_end_headers(client->inflater);
}

int client_status(struct h2_client *client, const struct frame *frame)
{
	struct response response = {0};
	decode_headers(client, frame, &response);
	return response.status;
}

void client_return_window(struct h2_client *client, const struct frame *frame)
{
	struct bytes out = {0};
	if (frame->length == 0)
		return;
	put_window_update(&out, 0, frame->length);
	if ((frame->flags & FLAG_END_STREAM) == 0)
		put_window_update(&out, frame->stream_id, frame->length);
	client_send(client, &out);
}

bool client_read_response(struct h2_client *client, int32_t id, struct response *response, int timeout_ms)
{
	struct frame frame;
	memset(response, 0, sizeof(*response));
	while (client_read(client, &frame, timeout_ms) == READ_FRAME) {
		if (frame.type == FRAME_HEADERS) {
			struct response other = {0};
			decode_headers(client, &frame, frame.stream_id == id ? response : &other);
		}
		if (frame.type == FRAME_DATA)
			client_return_window(client, &frame);
		if (frame.stream_id != id)
			continue;
		if (frame.type == FRAME_DATA)
			bytes_append(&response->body, frame.payload, frame.length);
		if (frame.type == FRAME_RST_STREAM) {
			response->status = 0;
			response->reset_code = read_u32(frame.payload);
			return true;
		}
		if ((frame.type == FRAME_HEADERS || frame.type == FRAME_DATA) && (frame.flags & FLAG_END_STREAM) != 0)
			return true;
	}
	return false;
}

bool client_get(struct h2_client *client, int32_t id, const char *path, struct response *response)
{
	struct bytes out = {0};
	put_request(&out, id, FLAG_END_STREAM, "GET", path);
	memset(response, 0, sizeof(*response));
	return client_send(client, &out) && client_read_response(client, id, response, 5000);
}

const char *response_header(const struct response *response, const char *name)
{
	static char value[1024];
	size_t length = strlen(name);
	for (const char *line = response->headers; *line != '\0'; line = strchr(line, '\n') + 1) {
		if (strncmp(line, name, length) == 0 && line[length] == ':') {
			snprintf(value, sizeof(value), "%.*s", (int)strcspn(line + length + 2, "\n"),
				 line + length + 2);
			return value;
		}
	}
	return "";
}

void response_free(struct response *response)
{
	bytes_free(&response->body);
}

SSL *client_ssl(struct h2_client *client)
{
	return client->ssl;
}

int client_socket(struct h2_client *client)
{
	return client->fd;
}

SSL_SESSION *client_take_session(struct h2_client *client)
{
	SSL_SESSION *session = client->session;
	client->session = NULL;
	return session;
}
