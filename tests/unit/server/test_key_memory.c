/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where the private key is while a server serves, and after it: on pages that no core file holds, and nowhere. */
#define _GNU_SOURCE
#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/h2_client.h"
#include "support/memory_map.h"
#include "support/process.h"
#include "support/test.h"
#include "valkyrie/server.h"
#include "valkyrie/static_response.h"

enum { KEY_BYTES = 32, PEM_BYTES = 48, FORMS = 3 };

/* The key as its bytes in both orders (DER, and wolfSSL's numbers), and as text of the PEM file; masked. */
struct forms {
	uint8_t masked[FORMS][PEM_BYTES];
	size_t length[FORMS];
};

static void read_forms(const char *path, struct forms *forms)
{
	char line[128];
	BIGNUM *number = NULL;
	uint8_t bytes[KEY_BYTES];
	FILE *file = fopen(path, "re");
	assert_non_null(file);
	EVP_PKEY *key = PEM_read_PrivateKey(file, NULL, NULL, NULL);
	assert_non_null(key);
	assert_int_equal(EVP_PKEY_get_bn_param(key, OSSL_PKEY_PARAM_PRIV_KEY, &number), 1);
	assert_int_equal(BN_bn2binpad(number, bytes, KEY_BYTES), KEY_BYTES);
	for (size_t i = 0; i < KEY_BYTES; i++) {
		forms->masked[0][i] = bytes[i] ^ MEMORY_MASK;
		forms->masked[1][i] = bytes[KEY_BYTES - 1 - i] ^ MEMORY_MASK;
	}
	rewind(file);
	for (int i = 0; i < 2; i++) /* the second line is all key */
		assert_non_null(fgets(line, sizeof(line), file));
	for (size_t i = 0; i < PEM_BYTES; i++)
		forms->masked[2][i] = (uint8_t)line[i] ^ MEMORY_MASK;
	forms->length[0] = forms->length[1] = KEY_BYTES;
	forms->length[2] = PEM_BYTES;
	OPENSSL_cleanse(bytes, sizeof(bytes));
	OPENSSL_cleanse(line, sizeof(line));
	BN_clear_free(number);
	EVP_PKEY_free(key);
	fclose(file);
}

/* Reads them in a child, so that reading leaves no copy here. */
static void learn_forms(const char *path, struct forms *forms)
{
	int ends[2], status;
	assert_int_equal(pipe(ends), 0);
	pid_t pid = fork();
	if (pid == 0) {
		read_forms(path, forms);
		_exit(write(ends[1], forms, sizeof(*forms)) == (ssize_t)sizeof(*forms) ? 0 : 1);
	}
	assert_int_equal(read(ends[0], forms, sizeof(*forms)), sizeof(*forms));
	assert_int_equal(waitpid(pid, &status, 0), pid);
	close(ends[0]);
	close(ends[1]);
}

static unsigned count(const struct forms *forms, unsigned *undumped)
{
	unsigned dumped = 0;
	*undumped = 0;
	for (int i = 0; i < FORMS; i++) {
		unsigned hidden;
		dumped += memory_find(forms->masked[i], forms->length[i], &hidden);
		*undumped += hidden;
	}
	return dumped;
}

static void the_key_stays_on_protected_pages(void **state)
{
	(void)state;
	static struct forms forms;
	struct valk_config config;
	struct valk_diagnostic diagnostic;
	struct valk_static_response *response;
	struct valk_server *server;
	const struct valk_static_config answer = {.body = (const uint8_t *)"x", .body_length = 1};
	unsigned undumped;
	struct valk_library_info libraries;
	valk_library_describe(&libraries);
	/* In instrumented builds the slab is malloc; wolfSSL 5.5 leaves copies of its own. */
	if (is_instrumented() || strncmp(libraries.tls, "wolfSSL 5.5.", 12) == 0)
		skip();
	learn_forms(certificate_path("ec256.key"), &forms);
	valk_config_init(&config);
	assert_int_equal(valk_static_response_create(&answer, &response, &diagnostic), VALK_OK);
	config.hosts[config.host_count++] = "127.0.0.1";
	config.port = 0;
	config.tls = true;
	config.certificate_file = certificate_path("ec256.crt");
	config.key_file = certificate_path("ec256.key");
	config.workers = 2;
	config.handler = valk_static_response_handler(response);
	assert_int_equal(valk_server_create(&config, &server, &diagnostic), VALK_OK);
	assert_int_equal(valk_server_start(server, &diagnostic), VALK_OK);
	struct valk_server_info info;
	valk_server_describe(server, &info);
	for (int i = 0; i < 20; i++) {
		struct h2_client *client = client_connect((uint16_t)atoi(strrchr(info.urls[0], ':') + 1), NULL);
		client_close(client);
	}
	unsigned dumped = count(&forms, &undumped);
	if (dumped > 0 || undumped == 0)
		fail_msg("while serving: %u copies on ordinary pages, %u on protected ones", dumped, undumped);
	valk_server_destroy(server);
	valk_static_response_destroy(response);
	dumped = count(&forms, &undumped);
	if (dumped + undumped > 0)
		fail_msg("after the end: %u copies on ordinary pages, %u on protected ones", dumped, undumped);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(the_key_stays_on_protected_pages)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
