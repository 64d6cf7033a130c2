/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tls/tls_credentials.h"

#include "support/process.h"
#include "support/test.h"
#include "tls/tls_library.h"
#include "tls/tls_self_test.h"

static int set_up(void **state)
{
	(void)state;
	return tls_library_init();
}

static int tear_down(void **state)
{
	(void)state;
	tls_library_dispose();
	return 0;
}

static void every_supported_kind_passes_the_self_test(void **state)
{
	(void)state;
	static const char *const kinds[][2] = {
		{"ec256", "EC P-256"},	 {"ec384", "EC P-384"},	 {"rsa2048", "RSA-2048"}, {"rsa3072", "RSA-3072"},
		{"rsa4096", "RSA-4096"}, {"ed25519", "Ed25519"}, {"chain", "EC P-256"}};
	struct tls_ticket_keys *tickets = tls_ticket_keys_create(0);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		char certificate[64], key[64], kind[80];
		struct tls_credentials *credentials;
		struct valk_diagnostic diagnostic = {""};
		snprintf(certificate, sizeof(certificate), "%s.crt", kinds[i][0]);
		snprintf(key, sizeof(key), "%s.key", kinds[i][0]);
		if (tls_credentials_load(certificate_path(certificate), certificate_path(key), &credentials,
					 &diagnostic) != VALK_OK)
			fail_msg("%s: %s", kinds[i][0], diagnostic.text);
		assert_string_equal(credentials->leaf.subject, "localhost");
		assert_true(credentials->leaf.not_after > time(NULL));
		assert_true(credentials->leaf.not_after < time(NULL) + 31 * 86400);
		tls_key_describe(&credentials->leaf.key, kind, sizeof(kind));
		assert_contains(kind, kinds[i][1]);
		if (tls_self_test(credentials, tickets, &diagnostic) != VALK_OK)
			fail_msg("%s: %s", kinds[i][0], diagnostic.text);
		tls_credentials_destroy(credentials);
	}
	tls_ticket_keys_destroy(tickets);
}

static void what_is_refused_and_why(void **state)
{
	(void)state;
	static const char *const cases[][3] = {
		{"absent.crt", "ec256.key", "cannot read certificate"},
		{"ec256.crt", "absent.key", "cannot read key"},
		{"empty.crt", "ec256.key", "holds no PEM certificate"},
		{"der.crt", "ec256.key", "holds no PEM certificate"},
		{"ec256.key", "ec256.key", "holds no PEM certificate"},
		{"cut.crt", "ec256.key", "cannot be parsed"},
		{"garbage.crt", "ec256.key", "cannot be parsed"},
		{"ec521.crt", "ec521.key", "unsupported key: EC P-521"},
		{"rsa1024.crt", "rsa1024.key", "unsupported key: RSA-1024"},
		{"ec256.crt", "ec256.crt", "(this is a certificate)"},
		{"ec256.crt", "encrypted.key", "is encrypted"},
		{"ec256.crt", "encrypted-old.key", "is encrypted"},
		{"ec256.crt", "garbage.key", "cannot be parsed"},
		{"ec256.crt", "ec256b.key", "does not belong to certificate"},
		{"ec256.crt", "rsa2048.key", "(RSA-2048 against EC P-256"},
		{"ed25519.crt", "ec256.key", "against Ed25519"},
		{"rsa2048.crt", "rsa3072.key", "(RSA-3072 against RSA-2048)"},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tls_credentials *credentials = NULL;
		struct valk_diagnostic diagnostic = {""};
		enum valk_error error = tls_credentials_load(certificate_path(cases[i][0]),
							     certificate_path(cases[i][1]), &credentials, &diagnostic);
		if (error != VALK_ERROR_CONFIG)
			fail_msg("%s with %s gave %d %s", cases[i][0], cases[i][1], error, diagnostic.text);
		assert_contains(diagnostic.text, cases[i][2]);
		assert_null(credentials);
	}
}

static void other_pem_forms_are_accepted(void **state)
{
	(void)state;
	struct tls_credentials *credentials;
	struct valk_diagnostic diagnostic = {""};
	if (tls_credentials_load(certificate_path("ec256.crt"), certificate_path("sec1.key"), &credentials,
				 &diagnostic) != VALK_OK)
		fail_msg("%s", diagnostic.text);
	tls_credentials_destroy(credentials);
	tls_credentials_destroy(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(every_supported_kind_passes_the_self_test),
					   cmocka_unit_test(what_is_refused_and_why),
					   cmocka_unit_test(other_pem_forms_are_accepted)};
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
