/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A load client for what h2load cannot do: handshakes one after the other, full or resumed; many idle connections; the
 * first answer of a starting server; and a bare epoll echo, the floor under every server. OpenSSL; loopback only.
 *
 *   client handshakes PORT COUNT full|resumed   each connection sends one GET and reads its answer
 *   client idle PORT COUNT                      opens connections, one GET each, prints "ready", holds until stdin ends
 *   client first PORT                           retries until an answer came; prints when, in us of CLOCK_MONOTONIC
 *   client now 0                                prints that clock
 *   client echo PORT                            serves: answers every REQUEST_SIZE bytes with ANSWER_SIZE
 *   client ping PORT COUNT CONNECTIONS          loads `echo`: COUNT exchanges over CONNECTIONS connections
 *   client latency PORT RATE SECONDS            RATE requests a second, evenly spaced over 50 connections; prints p50,
 *                                               p99 and p99.9 in us, from when each was due to its answer's end
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <openssl/ssl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum {
	/* What one request and its answer weigh on the wire at m=1: TLS record, frames, HPACK-indexed fields, 114
	   bytes. */
	REQUEST_SIZE = 45,
	ANSWER_SIZE = 170,
	EVENTS_MAX = 256,
	LINKS = 50,	      /* connections of `latency` */
	LINK_STREAMS = 1024,  /* requests under way on one of them; more means that the server does not keep up */
	LINK_BYTES = 1 << 16, /* holds any frame of a small answer */
};

/* Preface, empty SETTINGS, and a GET of / on stream 1 with literal authority "localhost". */
static const unsigned char request[] = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
				       "\x00\x00\x00\x04\x00\x00\x00\x00\x00"
				       "\x00\x00\x0e\x01\x05\x00\x00\x00\x01"
				       "\x82\x87\x84\x01\x09localhost";

static void fail(const char *what)
{
	fprintf(stderr, "client: %s: %s\n", what, strerror(errno));
	exit(EXIT_FAILURE);
}

static int64_t now_us(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

static struct sockaddr_in loopback(int port)
{
	return (struct sockaddr_in){
		.sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
}

/* A connected socket, or -1. */
static int connect_loopback(int port)
{
	struct sockaddr_in address = loopback(port);
	int no_delay = 1;
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		fail("socket");
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &no_delay, sizeof(no_delay));
	if (connect(fd, (struct sockaddr *)&address, sizeof(address)) != 0) {
		close(fd);
		return -1;
	}
	return fd;
}

static SSL_SESSION *newest_session;

static int on_session(SSL *ssl, SSL_SESSION *session)
{
	(void)ssl;
	SSL_SESSION_free(newest_session);
	newest_session = session;
	return 1;
}

static SSL_CTX *make_context(void)
{
	SSL_CTX *context = SSL_CTX_new(TLS_client_method());
	SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL);
	SSL_CTX_sess_set_new_cb(context, on_session);
	SSL_CTX_set_min_proto_version(context, TLS1_3_VERSION);
	SSL_CTX_set1_groups_list(context, "X25519:P-256");
	SSL_CTX_set_ciphersuites(context, "TLS_AES_128_GCM_SHA256");
	SSL_CTX_set_alpn_protos(context, (const unsigned char *)"\x02h2", 3);
	return context;
}

/* Calls `on_end` for each whole frame that ends a stream. Returns the bytes of whole frames. */
static size_t scan_frames(const unsigned char *bytes, size_t length, void (*on_end)(void *context, uint32_t stream_id),
			  void *context)
{
	size_t at = 0;
	while (length - at >= 9) {
		const unsigned char *frame = bytes + at;
		size_t size = 9 + ((size_t)frame[0] << 16 | (size_t)frame[1] << 8 | frame[2]);
		if (length - at < size)
			break;
		if (frame[3] <= 1 && (frame[4] & 1) != 0)
			on_end(context, (uint32_t)frame[5] << 24 | (uint32_t)frame[6] << 16 | (uint32_t)frame[7] << 8 |
						frame[8]);
		at += size;
	}
	return at;
}

static void on_first_end(void *context, uint32_t stream_id)
{
	*(bool *)context |= stream_id == 1;
}

/* Reads frames until stream 1 has ended. False when the connection ends first. */
static bool read_answer(SSL *ssl)
{
	static unsigned char bytes[1 << 20];
	size_t length = 0;
	for (;;) {
		bool ended = false;
		size_t used = scan_frames(bytes, length, on_first_end, &ended);
		if (ended)
			return true;
		memmove(bytes, bytes + used, length - used);
		length -= used;
		int count = SSL_read(ssl, bytes + length, (int)(sizeof(bytes) - length));
		if (count <= 0)
			return false;
		length += (size_t)count;
	}
}

/* Connects, shakes hands and gets one answer. NULL when anything of it fails. */
static SSL *converse(SSL_CTX *context, int port, SSL_SESSION *resume)
{
	int fd = connect_loopback(port);
	if (fd < 0)
		return NULL;
	SSL *ssl = SSL_new(context);
	SSL_set_fd(ssl, fd);
	if (resume != NULL)
		SSL_set_session(ssl, resume);
	if (SSL_connect(ssl) == 1 && SSL_write(ssl, request, sizeof(request) - 1) == (int)sizeof(request) - 1 &&
	    read_answer(ssl))
		return ssl;
	SSL_free(ssl);
	close(fd);
	return NULL;
}

static void hang_up(SSL *ssl)
{
	int fd = SSL_get_fd(ssl);
	SSL_shutdown(ssl);
	SSL_free(ssl);
	close(fd);
}

static int run_handshakes(int port, long count, bool resumed)
{
	SSL_CTX *context = make_context();
	long good = 0;
	for (long i = 0; i < count; i++) {
		SSL *ssl = converse(context, port, resumed ? newest_session : NULL);
		if (ssl == NULL)
			fail("handshake");
		good += SSL_session_reused(ssl) == (resumed && i > 0);
		hang_up(ssl);
	}
	printf("%ld\n", good);
	return good >= count * 9 / 10 ? EXIT_SUCCESS : EXIT_FAILURE;
}

static int run_idle(int port, long count)
{
	SSL_CTX *context = make_context();
	struct rlimit limit = {(rlim_t)count + 64, (rlim_t)count + 64};
	setrlimit(RLIMIT_NOFILE, &limit);
	for (long i = 0; i < count; i++) {
		if (converse(context, port, NULL) == NULL) /* kept open until the end of the process */
			fail("idle connection");
	}
	puts("ready");
	fflush(stdout);
	while (getchar() != EOF)
		;
	return EXIT_SUCCESS;
}

static int run_first(int port)
{
	SSL_CTX *context = make_context();
	for (int tries = 0; tries < 100000; tries++) {
		SSL *ssl = converse(context, port, NULL);
		if (ssl != NULL) {
			printf("%lld\n", (long long)now_us());
			return EXIT_SUCCESS;
		}
		usleep(100);
	}
	return EXIT_FAILURE;
}

static void watch(int epoll, int fd)
{
	struct epoll_event event = {.events = EPOLLIN, .data.fd = fd};
	if (epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event) != 0)
		fail("epoll_ctl");
}

/* The least any epoll server does for a request: wait, read, write. */
static _Noreturn void run_echo(int port)
{
	struct sockaddr_in address = loopback(port);
	static char bytes[65536];
	const int on = 1;
	int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
	setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	setsockopt(listener, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	if (bind(listener, (struct sockaddr *)&address, sizeof(address)) != 0 || listen(listener, 1024) != 0)
		fail("listen");
	int epoll = epoll_create1(0);
	watch(epoll, listener);
	for (;;) {
		struct epoll_event events[EVENTS_MAX];
		int count = epoll_wait(epoll, events, EVENTS_MAX, -1);
		for (int i = 0; i < count; i++) {
			int fd = events[i].data.fd;
			if (fd == listener) {
				int accepted = accept4(listener, NULL, NULL, SOCK_NONBLOCK);
				if (accepted >= 0)
					watch(epoll, accepted);
			} else if (recv(fd, bytes, sizeof(bytes), 0) <= 0) {
				close(fd);
			} else if (send(fd, bytes, ANSWER_SIZE, MSG_NOSIGNAL) != ANSWER_SIZE) {
				close(fd);
			}
		}
	}
}

static int run_ping(int port, long count, int connections)
{
	char bytes[ANSWER_SIZE] = "";
	int epoll = epoll_create1(0);
	long sent = 0, answered = 0;
	for (int i = 0; i < connections; i++, sent++) {
		int fd = connect_loopback(port);
		if (fd < 0)
			fail("connect");
		watch(epoll, fd);
		if (send(fd, bytes, REQUEST_SIZE, 0) != REQUEST_SIZE)
			fail("send");
	}
	while (answered < count) {
		struct epoll_event events[EVENTS_MAX];
		int ready = epoll_wait(epoll, events, EVENTS_MAX, 5000);
		if (ready <= 0)
			fail("no answer");
		for (int i = 0; i < ready; i++) {
			if (recv(events[i].data.fd, bytes, sizeof(bytes), 0) <= 0)
				fail("recv");
			answered++;
			if (sent < count && send(events[i].data.fd, bytes, REQUEST_SIZE, 0) == REQUEST_SIZE)
				sent++;
		}
	}
	printf("%ld\n", answered);
	return EXIT_SUCCESS;
}

/* One connection of `latency`. */
struct link {
	SSL *ssl;
	uint32_t next_id;
	size_t length; /* bytes of an unfinished frame */
	int64_t due_us[LINK_STREAMS];
	unsigned char bytes[LINK_BYTES];
};

struct latencies {
	int64_t *values_us;
	long count;
	struct link *link; /* being read */
};

static void on_answer(void *context, uint32_t stream_id)
{
	struct latencies *latencies = context;
	int64_t due_us = latencies->link->due_us[stream_id / 2 % LINK_STREAMS];
	latencies->values_us[latencies->count++] = now_us() - due_us;
}

static void open_link(struct link *link, SSL_CTX *context, int port, int epoll)
{
	/* Acknowledges the server's SETTINGS and opens the connection's window for all answers to come. */
	static const unsigned char greeting[] = "\x00\x00\x00\x04\x01\x00\x00\x00\x00"
						"\x00\x00\x04\x08\x00\x00\x00\x00\x00\x3f\x00\x00\x00";
	link->ssl = converse(context, port, NULL);
	if (link->ssl == NULL || SSL_write(link->ssl, greeting, sizeof(greeting) - 1) <= 0)
		fail("connection");
	link->next_id = 3;
	int fd = SSL_get_fd(link->ssl);
	fcntl(fd, F_SETFL, O_NONBLOCK);
	struct epoll_event event = {.events = EPOLLIN, .data.ptr = link};
	if (epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event) != 0)
		fail("epoll_ctl");
}

static void ask(struct link *link, int64_t due_us)
{
	unsigned char frame[] = "\x00\x00\x0e\x01\x05\x00\x00\x00\x00\x82\x87\x84\x01\x09localhost";
	for (int i = 0; i < 4; i++)
		frame[5 + i] = (unsigned char)(link->next_id >> (24 - 8 * i));
	link->due_us[link->next_id / 2 % LINK_STREAMS] = due_us;
	link->next_id += 2;
	if (SSL_write(link->ssl, frame, sizeof(frame) - 1) != (int)sizeof(frame) - 1)
		fail("request");
}

static void take_answers(struct link *link, struct latencies *latencies)
{
	int count;
	latencies->link = link;
	while ((count = SSL_read(link->ssl, link->bytes + link->length, (int)(LINK_BYTES - link->length))) > 0) {
		link->length += (size_t)count;
		size_t used = scan_frames(link->bytes, link->length, on_answer, latencies);
		link->length -= used;
		memmove(link->bytes, link->bytes + used, link->length);
	}
	if (SSL_get_error(link->ssl, count) != SSL_ERROR_WANT_READ)
		fail("answer");
}

static int compare_latencies(const void *a, const void *b)
{
	int64_t left = *(const int64_t *)a, right = *(const int64_t *)b;
	return (left > right) - (left < right);
}

/* Open loop: what is due is sent, whether or not earlier answers came, and waiting counts from when it was due. The
 * loop spins, so that the client's own waking up is not measured. h2load's --rps lets all its connections ask at
 * moments that depend on how fast the server took them in, and then measures mostly the queue it made itself. */
static int run_latency(int port, long rate, long seconds)
{
	struct link *links = calloc(LINKS, sizeof(*links));
	long total = rate * seconds, sent = 0;
	struct latencies latencies = {.values_us = calloc((size_t)total + 1, sizeof(int64_t))};
	SSL_CTX *context = make_context();
	int epoll = epoll_create1(0);
	for (int i = 0; i < LINKS; i++)
		open_link(&links[i], context, port, epoll);
	int64_t start_us = now_us();
	while (latencies.count < total) {
		int64_t elapsed_us = now_us() - start_us;
		if (elapsed_us > (seconds + 10) * 1000000)
			fail("the server does not keep up");
		for (; sent < total && sent * 1000000 / rate <= elapsed_us; sent++)
			ask(&links[sent % LINKS], start_us + sent * 1000000 / rate);
		struct epoll_event events[EVENTS_MAX];
		int ready = epoll_wait(epoll, events, EVENTS_MAX, 0);
		for (int i = 0; i < ready; i++)
			take_answers(events[i].data.ptr, &latencies);
	}
	qsort(latencies.values_us, (size_t)total, sizeof(int64_t), compare_latencies);
	printf("%lld %lld %lld\n", (long long)latencies.values_us[total / 2],
	       (long long)latencies.values_us[total * 99 / 100], (long long)latencies.values_us[total * 999 / 1000]);
	return EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
	const char *mode = argc > 2 ? argv[1] : "";
	int port = argc > 2 ? atoi(argv[2]) : 0;
	long count = argc > 3 ? atol(argv[3]) : 0;
	signal(SIGPIPE, SIG_IGN);
	if (strcmp(mode, "handshakes") == 0 && argc == 5)
		return run_handshakes(port, count, strcmp(argv[4], "resumed") == 0);
	if (strcmp(mode, "idle") == 0 && argc == 4)
		return run_idle(port, count);
	if (strcmp(mode, "first") == 0)
		return run_first(port);
	if (strcmp(mode, "now") == 0)
		return printf("%lld\n", (long long)now_us()) < 0;
	if (strcmp(mode, "echo") == 0)
		run_echo(port);
	if (strcmp(mode, "ping") == 0 && argc == 5)
		return run_ping(port, count, atoi(argv[4]));
	if (strcmp(mode, "latency") == 0 && argc == 5 && count > 0 && atol(argv[4]) > 0)
		return run_latency(port, count, atol(argv[4]));
	fprintf(stderr, "usage: client handshakes|idle|first|now|echo|ping|latency PORT [COUNT "
			"[full|resumed|CONNECTIONS|SECONDS]]\n");
	return 2;
}
