/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "server/config.h"

#include "support/test.h"

static const struct valk_response response = {.status = 200};

static const struct valk_response *handle(void *context, const struct valk_request *request)
{
	(void)context;
	(void)request;
	return &response;
}

static struct valk_config good_config(void)
{
	struct valk_config config;
	valk_config_init(&config);
	config.handler.handle = handle;
	return config;
}

static void defaults_are_valid(void **state)
{
	(void)state;
	struct valk_diagnostic diagnostic;
	struct valk_config config = good_config();
	assert_int_equal(valk_config_check(&config, &diagnostic), VALK_OK);
}

static void bad_values_are_named(void **state)
{
	(void)state;
	struct valk_diagnostic diagnostic;
	struct valk_config config = good_config();
	config.handler.handle = NULL;
	assert_int_equal(valk_config_check(&config, &diagnostic), VALK_ERROR_USAGE);
	assert_contains(diagnostic.text, "handler");

	config = good_config();
	config.limits.concurrent_streams = 0;
	assert_int_equal(valk_config_check(&config, &diagnostic), VALK_ERROR_USAGE);
	assert_contains(diagnostic.text, "concurrent streams is 0; give 1 to 10000");

	config = good_config();
	config.workers = 5000;
	assert_int_equal(valk_config_check(&config, &diagnostic), VALK_ERROR_USAGE);
	assert_contains(diagnostic.text, "workers");

	config = good_config();
	config.server_name = "a\r\nb";
	assert_int_equal(valk_config_check(&config, &diagnostic), VALK_ERROR_USAGE);

	config = good_config();
	config.hosts[config.host_count++] = "localhost";
	assert_int_equal(valk_config_check(&config, &diagnostic), VALK_ERROR_USAGE);
	assert_contains(diagnostic.text, "'localhost' is not a numeric");

	config = good_config();
	config.tls = true;
	assert_int_equal(valk_config_check(&config, &diagnostic), VALK_ERROR_USAGE);
	assert_contains(diagnostic.text, "--cert");
}

static void no_host_means_all(void **state)
{
	(void)state;
	struct valk_diagnostic diagnostic;
	struct address addresses[VALK_HOSTS_MAX];
	size_t count;
	struct valk_config config = good_config();
	assert_int_equal(config_parse_hosts(&config, addresses, &count, &diagnostic), VALK_OK);
	assert_int_equal(count, 2);
	assert_int_equal(address_port(&addresses[1]), 8080);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(defaults_are_valid), cmocka_unit_test(bad_values_are_named),
					   cmocka_unit_test(no_host_means_all)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
