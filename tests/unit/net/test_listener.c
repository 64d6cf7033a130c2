/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "net/listener.h"

#include <errno.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <unistd.h>

#include "net/port_holder.h"
#include "support/h2_client.h"
#include "support/test.h"

static void a_free_port_is_shared_by_all_workers(void **state)
{
	(void)state;
	struct address address;
	struct valk_diagnostic diagnostic;
	int listeners[3];
	assert_true(address_parse("127.0.0.1", 0, &address));
	assert_int_equal(listener_probe(&address, &diagnostic), VALK_OK);
	assert_int_not_equal(address_port(&address), 0);
	assert_int_equal(listener_open(&address, 3, listeners, &diagnostic), VALK_OK);

	int client = tcp_connect(address_port(&address), false, 0);
	struct pollfd polled[3];
	for (int i = 0; i < 3; i++)
		polled[i] = (struct pollfd){.fd = listeners[i], .events = POLLIN};
	assert_int_equal(poll(polled, 3, 5000), 1);
	for (int i = 0; i < 3; i++) {
		struct address peer;
		int accepted = listener_accept(listeners[i], &peer);
		if (accepted < 0) {
			assert_int_equal(accepted, -EAGAIN);
			continue;
		}
		int no_delay = 0;
		socklen_t size = sizeof(no_delay);
		getsockopt(accepted, IPPROTO_TCP, TCP_NODELAY, &no_delay, &size);
		assert_int_not_equal(no_delay, 0);
		close(accepted);
	}
	close(client);

	/* Somebody listens there now: SO_REUSEPORT must not let a second server in unnoticed. */
	assert_int_equal(listener_probe(&address, &diagnostic), VALK_ERROR_SYSTEM);
	char holder[64];
	snprintf(holder, sizeof(holder), "is held by pid %d (", (int)getpid());
	assert_contains(diagnostic.text, holder);
	for (int i = 0; i < 3; i++)
		close(listeners[i]);
	assert_int_equal(listener_probe(&address, &diagnostic), VALK_OK);
}

static void a_foreign_address_is_explained(void **state)
{
	(void)state;
	struct address address;
	struct valk_diagnostic diagnostic;
	assert_true(address_parse("192.0.2.1", 4433, &address));
	assert_int_equal(listener_probe(&address, &diagnostic), VALK_ERROR_SYSTEM);
	assert_contains(diagnostic.text, "192.0.2.1:4433");
	assert_contains(diagnostic.text, "no interface has this address");
}

static void nobody_holds_a_free_port(void **state)
{
	(void)state;
	char text[64];
	assert_false(port_holder_find(1, text, sizeof(text)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(a_free_port_is_shared_by_all_workers),
					   cmocka_unit_test(a_foreign_address_is_explained),
					   cmocka_unit_test(nobody_holds_a_free_port)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
