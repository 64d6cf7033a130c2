/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The public scorecard's lines P02 to P04: every allocation and the first calls of every system call fail once, in the
 * server's own process. At most the connection at hand is lost; a start is refused with an error or succeeds. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/log.h"
#include "faults/inject.h"
#include "support/h2_client.h"
#include "support/process.h"
#include "support/test.h"
#include "valkyrie/server.h"
#include "valkyrie/static_response.h"

enum {
	BODY_BYTES = 300000,
	UPLOAD_BYTES = 50000,
	CALLS_MAX = 20,		/* of each kind are made to fail */
	ALLOCATIONS_MAX = 5000, /* more in one scenario would mean that it does not end */
	TRIES = 4,
	END_MS = 10000,
};

static struct {
	struct valk_server *server;
	struct valk_static_response *response;
	uint16_t port;
	int log_descriptor;
} subject;

static const uint8_t body[BODY_BYTES];

/* Creates and starts a server with one worker. Whatever fails is given back. */
static enum valk_error start_server(bool tls)
{
	struct valk_config config;
	struct valk_diagnostic diagnostic = {""};
	const struct valk_static_config answer = {
		.body = body, .body_length = sizeof(body), .content_type = "text/plain"};
	enum valk_error error = valk_static_response_create(&answer, &subject.response, &diagnostic);
	if (error != VALK_OK)
		return error;
	valk_config_init(&config);
	config.hosts[config.host_count++] = "127.0.0.1";
	config.port = 0;
	config.tls = tls;
	config.certificate_file = tls ? certificate_path("ec256.crt") : NULL;
	config.key_file = tls ? certificate_path("ec256.key") : NULL;
	config.workers = 1;
	config.handler = valk_static_response_handler(subject.response);
	config.log_descriptor = subject.log_descriptor;
	error = valk_server_create(&config, &subject.server, &diagnostic);
	if (error == VALK_OK)
		error = valk_server_start(subject.server, &diagnostic);
	if (error != VALK_OK) {
		assert_string_not_equal(diagnostic.text, "");
		return error;
	}
	struct valk_server_info info;
	valk_server_describe(subject.server, &info);
	subject.port = (uint16_t)atoi(strrchr(info.urls[0], ':') + 1);
	return VALK_OK;
}

static void destroy_server(void)
{
	valk_server_destroy(subject.server);
	valk_static_response_destroy(subject.response);
	subject.server = NULL;
	subject.response = NULL;
}

/* Ends gracefully; it must not take long. */
static void drain_server(const char *what)
{
	struct pollfd done = {.fd = valk_server_done_descriptor(subject.server), .events = POLLIN};
	valk_server_drain(subject.server, END_MS / 2);
	if (poll(&done, 1, END_MS) != 1)
		fail_msg("%s: the workers did not end", what);
	destroy_server();
}

/* --- scenarios: each is true when everything went well
 * ----------------------------------------------------------------- */

static struct h2_client *connect_client(bool tls)
{
	struct bytes out = {0};
	struct h2_client *client =
		client_connect(subject.port, &(struct client_options){.cleartext = !tls, .expect_failure = true});
	if (client == NULL)
		return NULL;
	put_preface(&out);
	client_send(client, &out);
	return client;
}

static bool get(struct h2_client *client, int32_t id)
{
	struct response response;
	bool served =
		client_get(client, id, "/", &response) && response.status == 200 && response.body.length == BODY_BYTES;
	response_free(&response);
	return served;
}

static bool download(bool tls)
{
	struct h2_client *client = connect_client(tls);
	bool served = client != NULL && get(client, 1);
	client_close(client);
	return served;
}

static bool upload(bool tls)
{
	static const uint8_t piece[10000];
	struct bytes out = {0};
	struct response response = {0};
	struct h2_client *client = connect_client(tls);
	if (client == NULL)
		return false;
	put_request(&out, 1, 0, "POST", "/"); /* within the initial window */
	for (int sent = 0; sent < UPLOAD_BYTES; sent += (int)sizeof(piece))
		put_frame(&out, FRAME_DATA, 0, 1, piece, sizeof(piece));
	put_frame(&out, FRAME_DATA, FLAG_END_STREAM, 1, NULL, 0);
	client_send(client, &out);
	bool served = client_read_response(client, 1, &response, 5000) && response.status == 200;
	response_free(&response);
	client_close(client);
	return served;
}

/* Many streams, some reset, some malformed, frames that ask for answers; the last request is served. */
static bool mixture(bool tls)
{
	struct bytes out = {0};
	struct h2_client *client = connect_client(tls);
	if (client == NULL)
		return false;
	for (int32_t id = 1; id < 40; id += 2) {
		put_request(&out, id, FLAG_END_STREAM, id % 6 == 1 ? "BREW" : "HEAD", id % 10 == 1 ? "bad" : "/");
		if (id % 4 == 1)
			put_reset(&out, id, CODE_CANCEL);
	}
	put_frame(&out, FRAME_PING, 0, 0, "12345678", 8);
	put_setting(&out, 4, 100000);
	client_send(client, &out);
	bool served = get(client, 101);
	client_close(client);
	return served;
}

/* Waits until the server has dealt with everything this client sent. */
static void settle(struct h2_client *client, int32_t id)
{
	struct bytes out = {0};
	struct response response;
	put_request(&out, id, FLAG_END_STREAM, "HEAD", "/");
	assert_true(client_send(client, &out));
	assert_true(client_read_response(client, id, &response, 5000));
	assert_int_equal(response.status, 200);
	response_free(&response);
}

static bool (*const scenarios[])(bool tls) = {download, upload, mixture};

/* --- P02
 * ---------------------------------------------------------------------------------------------------------------- */

/* Every n-th allocation of a scenario fails, until none is left to fail. A bystander's connection lives through all. */
static void fail_allocations(bool (*scenario)(bool tls), bool tls, bool sticky)
{
	unsigned n = 1;
	struct h2_client *bystander = connect_client(tls);
	int32_t id = 1;
	assert_true(get(bystander, id));
	for (bool happened = true; happened; n++) {
		settle(bystander, id += 2);
		inject_allocation(n, sticky);
		bool well = scenario(tls);
		happened = inject_happened();
		inject_nothing();
		if (!happened && !well)
			fail_msg("it failed without a failing allocation, n %u", n);
		id += 2;
		if (!get(bystander, id))
			fail_msg("the bystander lost its connection to allocation %u", n);
		assert_true(n < ALLOCATIONS_MAX);
	}
	client_close(bystander);
	assert_true(n > 10); /* otherwise nothing was tested */
	print_message("           %u allocations\n", n - 1);
}

static void every_allocation_may_fail(void **state)
{
	(void)state;
	for (int tls = 0; tls < 2; tls++) {
		assert_int_equal(start_server(tls), VALK_OK);
		for (size_t i = 0; i < sizeof(scenarios) / sizeof(scenarios[0]); i++) {
			fail_allocations(scenarios[i], tls, false);
			fail_allocations(scenarios[i], tls, true);
		}
		drain_server("allocations");
	}
}

/* A start without memory is refused with an error; nothing leaks. */
static void a_start_without_memory_is_refused(void **state)
{
	(void)state;
	for (int sticky = 0; sticky < 2; sticky++) {
		bool happened = true;
		for (unsigned n = 1; happened; n++) {
			inject_exempt(false);
			inject_allocation(n, sticky);
			enum valk_error error = start_server(true);
			happened = inject_happened();
			inject_nothing();
			inject_exempt(true);
			if (!happened)
				assert_int_equal(error, VALK_OK);
			assert_true(error != VALK_OK || download(true));
			destroy_server();
			assert_true(n < ALLOCATIONS_MAX);
		}
	}
}

/* --- P03
 * ---------------------------------------------------------------------------------------------------------------- */

/* CPU time of the whole process in us. */
static int64_t cpu_us(void)
{
	struct rusage usage;
	getrusage(RUSAGE_SELF, &usage);
	return (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000LL + usage.ru_utime.tv_usec +
	       usage.ru_stime.tv_usec;
}

static void assert_rests(const char *what)
{
	int64_t before = cpu_us();
	poll(NULL, 0, 40); /* the span that is measured */
	if (cpu_us() - before > 30000)
		fail_msg("%s: the server spins", what);
}

/* One call fails with one errno. True when it was reached. */
static bool fail_call(enum injected_call call, unsigned nth, int error)
{
	char what[64];
	snprintf(what, sizeof(what), "call %d, number %u, %s", (int)call, nth, strerrorname_np(error));
	inject_exempt(false);
	inject_call(call, nth, error);
	enum valk_error started = start_server(true);
	inject_exempt(true);
	if (started == VALK_OK) {
		bool served = false;
		for (int i = 0; i < TRIES && !(served = download(true)); i++)
			;
		if (!served)
			fail_msg("%s: no request is served any more", what);
		assert_rests(what);
		drain_server(what);
	} else {
		assert_true(started == VALK_ERROR_SYSTEM || started == VALK_ERROR_CONFIG ||
			    started == VALK_ERROR_MEMORY);
		destroy_server();
	}
	bool happened = inject_happened();
	inject_nothing();
	return happened;
}

static void fail_calls(enum injected_call call, const int errors[])
{
	for (size_t i = 0; errors[i] != 0; i++) {
		unsigned nth = 1;
		while (nth <= CALLS_MAX && fail_call(call, nth, errors[i]))
			nth++;
		if (nth == 1)
			fail_msg("call %d is never made: nothing is tested", (int)call);
	}
}

#define CALLS_FAIL(name, call, ...)                                                                                    \
	static void name(void **state)                                                                                 \
	{                                                                                                              \
		(void)state;                                                                                           \
		fail_calls(call, (const int[]){__VA_ARGS__, 0});                                                       \
	}
CALLS_FAIL(accept_fails, CALL_ACCEPT, EAGAIN, EINTR, ECONNABORTED, EMFILE, ENFILE, ENOBUFS, ENOMEM, EPROTO, EPERM)
CALLS_FAIL(recv_fails, CALL_RECV, EAGAIN, EINTR, ECONNRESET, ENOMEM, ETIMEDOUT, EIO, ENOTCONN, EBADF, EINVAL)
CALLS_FAIL(send_fails, CALL_SEND, EAGAIN, EINTR, ECONNRESET, EPIPE, ENOBUFS, ENOMEM, ETIMEDOUT, EIO, EINVAL)
/* libev asserts that there is no EBADF, EINVAL or ELOOP. */
CALLS_FAIL(epoll_ctl_fails, CALL_EPOLL_CTL, ENOMEM, ENOSPC)
CALLS_FAIL(epoll_wait_fails, CALL_EPOLL_WAIT, EINTR, EBADF, EINVAL, ENOMEM)
CALLS_FAIL(fstat_fails, CALL_FSTAT, EIO, EACCES, ENOMEM)
CALLS_FAIL(read_fails, CALL_READ, EINTR, EIO, EAGAIN, EISDIR)
CALLS_FAIL(close_fails, CALL_CLOSE, EINTR, EIO, EBADF)
CALLS_FAIL(write_fails, CALL_WRITE, EINTR, ENOSPC, EIO, EPIPE, EDQUOT)
CALLS_FAIL(socket_fails, CALL_SOCKET, EMFILE, ENFILE, EACCES, ENOBUFS, ENOMEM, EAFNOSUPPORT)
CALLS_FAIL(setsockopt_fails, CALL_SETSOCKOPT, ENOPROTOOPT, EINVAL, ENOMEM, EPERM)
CALLS_FAIL(clone_fails, CALL_THREAD, EAGAIN, EPERM, ENOMEM)

/* --- P04
 * ---------------------------------------------------------------------------------------------------------------- */

/* A log device that is full for a while: what is lost is counted, and told when there is room again. */
static void a_full_log_device(void **state)
{
	(void)state;
	char text[512];
	int ends[2];
	assert_int_equal(pipe(ends), 0);
	struct log *log = log_start(ends[1], VALK_LOG_NOTICE, false);
	inject_call(CALL_WRITE, 1, ENOSPC);
	log_write(log, VALK_LOG_NOTICE, "this line finds the device full");
	/* The next word comes when the writer has rested, and does not wait for another line. */
	struct pollfd polled = {.fd = ends[0], .events = POLLIN};
	assert_int_equal(poll(&polled, 1, 5000), 1);
	log_write(log, VALK_LOG_NOTICE, "this one does not");
	log_stop(log, 5000);
	assert_true(inject_happened());
	close(ends[1]);
	ssize_t length = 0, count;
	while ((count = read(ends[0], text + length, sizeof(text) - 1 - (size_t)length)) > 0)
		length += count;
	text[length] = '\0';
	close(ends[0]);
	assert_string_equal(text, "valkyrie: warning: 1 log lines lost: the log could not be written\n"
				  "valkyrie: this one does not\n");
}

static int set_up(void **state)
{
	(void)state;
	inject_exempt(true);
	subject.log_descriptor = open("/dev/null", O_WRONLY | O_CLOEXEC);
	return subject.log_descriptor < 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_allocation_may_fail),
		cmocka_unit_test(a_start_without_memory_is_refused),
		cmocka_unit_test(accept_fails),
		cmocka_unit_test(recv_fails),
		cmocka_unit_test(send_fails),
		cmocka_unit_test(epoll_ctl_fails),
		cmocka_unit_test(epoll_wait_fails),
		cmocka_unit_test(fstat_fails),
		cmocka_unit_test(read_fails),
		cmocka_unit_test(close_fails),
		cmocka_unit_test(write_fails),
		cmocka_unit_test(socket_fails),
		cmocka_unit_test(setsockopt_fails),
		cmocka_unit_test(clone_fails),
		cmocka_unit_test(a_full_log_device),
	};
	return cmocka_run_group_tests(tests, set_up, NULL);
}
