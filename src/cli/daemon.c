/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE
#include "cli/daemon.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/error.h"
#include "sandbox/confinement.h"
#include "sandbox/privileges.h"
#include "valkyrie/version.h"

enum {
	TICKET_CHECK_MS = 600000, /* how often the ticket key's age is looked at */
	CERTIFICATE_WARNING_DAYS = 14,
};

static void print_certificate(const struct valk_server_info *info)
{
	long long days = (long long)(info->certificate_not_after - time(NULL)) / 86400;
	fprintf(stderr, "  certificate  %s (%s), %lld days left\n", info->certificate_subject, info->certificate_key,
		days);
	if (info->certificate_not_after < time(NULL))
		fprintf(stderr, "valkyrie: warning: the certificate has expired; clients will refuse it: renew it\n");
	else if (days < CERTIFICATE_WARNING_DAYS)
		fprintf(stderr, "valkyrie: warning: the certificate expires in %lld days: renew it\n", days);
}

/* What was given up, for the banner. */
struct confinement {
	uid_t uid;	   /* asked for while that is allowed */
	bool keeps_random; /* the TLS library must be able to open /dev/urandom */
	bool files;	   /* Landlock */
	bool calls;	   /* seccomp */
};

static void print_confinement(const struct options *options, const struct confinement *confinement)
{
	char user[32];
	snprintf(user, sizeof(user), "uid %ld", (long)confinement->uid);
	fprintf(stderr, "  confinement  %s%s%s, %s, %s\n", options->user != NULL ? options->user : user,
		options->root_folder != NULL ? ", root folder " : "",
		options->root_folder != NULL ? options->root_folder : "",
		!confinement->files	    ? "no Landlock"
		: confinement->keeps_random ? "no files but /dev/urandom (Landlock)"
					    : "no files (Landlock)",
		confinement->calls ? "few system calls (seccomp)" : "no seccomp");
}

/* The banner. Before the log has anything to say, so it is written directly. */
static void announce(const struct valk_server *server, const struct options *options,
		     const struct confinement *confinement)
{
	struct valk_server_info info;
	struct valk_library_info libraries;
	const struct valk_limits *limits = &options->config.limits;
	valk_server_describe(server, &info);
	valk_library_describe(&libraries);
	fprintf(stderr, "valkyrie %s, pid %ld\n", VALK_VERSION, (long)getpid());
	for (size_t i = 0; i < info.url_count; i++)
		fprintf(stderr, "  listening    %s\n", info.urls[i]);
	fprintf(stderr, "  protocols    %s\n",
		options->config.tls ? "HTTP/2 over TLS 1.3 and 1.2" : "HTTP/2 in cleartext, prior knowledge");
	fprintf(stderr, "  workers      %u on %u usable CPUs\n", info.workers, info.cpus);
	fprintf(stderr, "  libraries    %s (%s), %s\n", libraries.tls, libraries.tls_acceleration, libraries.http2);
	if (options->config.tls)
		print_certificate(&info);
	print_confinement(options, confinement);
	fprintf(stderr,
		"  limits       %u connections a worker, %u streams a connection, header %u bytes, body %llu bytes\n",
		info.connections_max, limits->concurrent_streams, limits->header_bytes,
		(unsigned long long)limits->body_bytes);
	fflush(stderr);
}

/* Writes ": reason count, ..." for every reason there was, "" without one. */
static void list_refusals(const struct valk_server_counters *counters, char *text, size_t size)
{
	size_t used = 0;
	text[0] = '\0';
	for (unsigned i = 0; i < VALK_REFUSALS_MAX && valk_refusal_name(i) != NULL && used < size; i++) {
		unsigned long long count = counters->refusals_by_reason[i];
		if (count > 0)
			used += (size_t)snprintf(text + used, size - used, "%s %s %llu", used == 0 ? ":" : ",",
						 valk_refusal_name(i), count);
	}
}

static void log_cut(struct valk_server *server, uint32_t drain_timeout_ms)
{
	struct valk_server_counters counters;
	char reasons[512];
	valk_server_count(server, &counters);
	if (counters.cut_connections > 0)
		valk_server_log(server, VALK_LOG_WARNING, "the end after %u ms cut %llu connections with %llu streams",
				drain_timeout_ms, (unsigned long long)counters.cut_connections,
				(unsigned long long)counters.cut_streams);
	list_refusals(&counters, reasons, sizeof(reasons));
	valk_server_log(server, VALK_LOG_NOTICE, "ended after %llu requests on %llu connections, %llu refusals%s",
			(unsigned long long)counters.requests, (unsigned long long)counters.connections_accepted,
			(unsigned long long)counters.refusals, reasons);
}

static void on_signal(struct valk_server *server, int number, uint32_t drain_timeout_ms, bool *draining)
{
	const char *name = sigabbrev_np(number);
	switch (number) {
	case SIGTERM:
	case SIGINT:
		if (!*draining) {
			*draining = true;
			valk_server_log(server, VALK_LOG_NOTICE,
					"SIG%s: ending gracefully, at most %u ms; once more ends at once", name,
					drain_timeout_ms);
			valk_server_drain(server, drain_timeout_ms);
			break;
		}
		/* fall through */
	case SIGQUIT:
		valk_server_log(server, VALK_LOG_NOTICE, "SIG%s: ending at once", name);
		valk_server_stop(server);
		break;
	default:
		valk_server_log(server, VALK_LOG_NOTICE, "SIG%s: nothing to do for it in this version", name);
		break;
	}
}

/* Waits for signals until every worker has ended. */
static enum valk_error wait_for_end(struct valk_server *server, int signals, uint32_t drain_timeout_ms,
				    struct valk_diagnostic *diagnostic)
{
	bool draining = false;
	for (;;) {
		struct pollfd polled[] = {{.fd = valk_server_done_descriptor(server), .events = POLLIN},
					  {.fd = signals, .events = POLLIN}};
		if (poll(polled, 2, TICKET_CHECK_MS) < 0 && errno != EINTR)
			return diagnose(diagnostic, VALK_ERROR_SYSTEM, "cannot wait for signals: %s", strerror(errno));
		struct signalfd_siginfo info;
		if (polled[1].revents != 0 && read(signals, &info, sizeof(info)) == (ssize_t)sizeof(info))
			on_signal(server, (int)info.ssi_signo, drain_timeout_ms, &draining);
		if (polled[0].revents != 0)
			return VALK_OK;
		valk_server_rotate_tickets(server);
	}
}

static int open_signals(void)
{
	static const int numbers[] = {SIGTERM, SIGINT, SIGQUIT, SIGHUP, SIGUSR1, SIGUSR2};
	sigset_t awaited;
	sigemptyset(&awaited);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		sigaddset(&awaited, numbers[i]);
	signal(SIGPIPE, SIG_IGN);
	sigprocmask(SIG_BLOCK, &awaited, NULL);
	return signalfd(-1, &awaited, SFD_CLOEXEC | SFD_NONBLOCK);
}

enum valk_error daemon_check_privileges(struct options *options, struct valk_diagnostic *diagnostic)
{
	if (options->user != NULL)
		return privileges_find(options->user, &options->identity, diagnostic);
	if (privileges_are_root() && !options->allow_root && !options->check_only)
		return diagnose(diagnostic, VALK_ERROR_USAGE,
				"this would serve as root; give --user NAME to become a user without rights once the "
				"ports are open (for example --user nobody), or --allow-root");
	return VALK_OK;
}

/* Between opening the ports and starting the threads: everything that needs root or a file has been done. What the
 * kernel lacks is told and left out. */
static enum valk_error give_up_rights(const struct options *options, struct confinement *confinement,
				      struct valk_diagnostic *missing, struct valk_diagnostic *diagnostic)
{
	enum valk_error error = VALK_OK;
	/* Asked only where the answer matters: it takes a child. */
	if (options->config.tls && (!options->no_sandbox || options->root_folder != NULL))
		confinement->keeps_random = valk_library_reads_random_device();
	if (options->root_folder != NULL)
		error = privileges_change_root(options->root_folder, diagnostic);
	if (error == VALK_OK && confinement->keeps_random && access("/dev/urandom", R_OK) != 0)
		error = diagnose(
			diagnostic, VALK_ERROR_SYSTEM,
			"this build's TLS library reads /dev/urandom, which is not in %s; make it there (mknod "
			"-m 444 dev/urandom c 1 9) or leave out --chroot",
			options->root_folder != NULL ? options->root_folder : "/");
	if (error == VALK_OK && options->user != NULL)
		error = privileges_drop(&options->identity, diagnostic);
	if (error != VALK_OK)
		return error;
	confinement->uid = geteuid();
	confinement_forbid_new_privileges();
	confinement->files =
		!options->no_sandbox && confinement_close_files(confinement->keeps_random, missing) == VALK_OK;
	return VALK_OK;
}

static enum valk_error serve(struct valk_server *server, const struct options *options, int signals,
			     struct valk_diagnostic *diagnostic)
{
	struct confinement confinement = {0, false, false, false};
	struct valk_diagnostic no_landlock = {""}, no_seccomp = {""};
	enum valk_error error = give_up_rights(options, &confinement, &no_landlock, diagnostic);
	if (error == VALK_OK)
		error = valk_server_start(server, diagnostic);
	if (error != VALK_OK)
		return error;
	/* Now that all threads run, they need fewer system calls than their start did. */
	confinement.calls =
		!options->no_sandbox && confinement_limit_calls(confinement.keeps_random, &no_seccomp) == VALK_OK;
	if (!options->quiet)
		announce(server, options, &confinement);
	if (no_landlock.text[0] != '\0')
		valk_server_log(server, VALK_LOG_WARNING, "%s", no_landlock.text);
	if (no_seccomp.text[0] != '\0')
		valk_server_log(server, VALK_LOG_WARNING, "%s", no_seccomp.text);
	error = wait_for_end(server, signals, options->drain_timeout_ms, diagnostic);
	log_cut(server, options->drain_timeout_ms);
	return error;
}

enum valk_error daemon_run(const struct options *options, struct valk_diagnostic *diagnostic)
{
	struct valk_server *server;
	int signals = open_signals();
	if (signals < 0)
		return diagnose(diagnostic, VALK_ERROR_SYSTEM, "cannot wait for signals: %s", strerror(errno));
	enum valk_error error = valk_server_create(&options->config, &server, diagnostic);
	if (error == VALK_OK) {
		error = serve(server, options, signals, diagnostic);
		valk_server_destroy(server);
	}
	close(signals);
	return error;
}
