/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE
#include "valkyrie/server.h"

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/error.h"
#include "base/wakeup.h"
#include "net/cpu.h"
#include "net/listener.h"
#include "server/config.h"
#include "server/worker.h"
#include "tls/tls_library.h"

enum {
	DESCRIPTORS_RESERVED = 64, /* L13: for listeners, loops, files */
	LOG_PATIENCE_MS = 1000,	   /* how long a stop waits for a stuck log device */
};

_Static_assert((int)REFUSAL_COUNT <= (int)VALK_REFUSALS_MAX, "every reason needs its public counter");

struct valk_server {
	struct worker_shared shared;
	struct valk_limits limits;
	struct tls_credentials *credentials; /* NULL without TLS */
	struct tls_ticket_keys *tickets;
	char *server_name;
	struct cpu_plan cpus;
	struct address addresses[VALK_HOSTS_MAX];
	size_t address_count;
	unsigned worker_count;
	struct worker *workers;
	int log_descriptor;
	enum valk_log_level log_level;
	bool log_timestamps;
	int *descriptors; /* [worker][address]; given to the workers by start */
	_Atomic unsigned running_workers;
	int done_descriptor;
	bool tls_initialised;
	bool started;
};

/* Start-up of one thread: the main thread waits until the worker says how its set-up went. */
struct hatching {
	struct worker *worker;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	bool reported;
	enum valk_error error;
};

enum valk_error valk_config_check(const struct valk_config *config, struct valk_diagnostic *diagnostic)
{
	struct address addresses[VALK_HOSTS_MAX];
	size_t count;
	enum valk_error error = config_check_values(config, diagnostic);
	if (error == VALK_OK)
		error = config_parse_hosts(config, addresses, &count, diagnostic);
	if (error != VALK_OK || !config->tls)
		return error;
	struct tls_credentials *credentials;
	struct tls_ticket_keys *tickets;
	if (tls_library_init() != VALK_OK)
		return diagnose(diagnostic, VALK_ERROR_TLS, "the TLS library cannot be initialised");
	error = config_load_tls(config, &credentials, &tickets, diagnostic);
	if (error == VALK_OK) {
		tls_ticket_keys_destroy(tickets);
		tls_credentials_destroy(credentials);
	}
	tls_library_dispose();
	return error;
}

/* Raises the soft descriptor limit to the hard one and returns it. */
static uint64_t raise_descriptor_limit(void)
{
	struct rlimit limit;
	if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
		return 1024;
	limit.rlim_cur = limit.rlim_max;
	(void)setrlimit(RLIMIT_NOFILE, &limit);
	(void)getrlimit(RLIMIT_NOFILE, &limit);
	return limit.rlim_cur;
}

static enum valk_error set_connection_limit(struct valk_server *server, struct valk_diagnostic *diagnostic)
{
	uint64_t descriptors = raise_descriptor_limit();
	uint64_t reserved = DESCRIPTORS_RESERVED + (uint64_t)server->worker_count * (server->address_count + 2);
	uint64_t possible = descriptors > reserved ? (descriptors - reserved) / server->worker_count : 0;
	if (possible == 0)
		return diagnose(diagnostic, VALK_ERROR_SYSTEM,
				"the descriptor limit %llu is too low for %u workers; raise it (ulimit -n) or give "
				"fewer --workers",
				(unsigned long long)descriptors, server->worker_count);
	uint64_t wanted = server->limits.connections;
	server->shared.connections_max = (uint32_t)(wanted > 0 && wanted < possible ? wanted : possible);
	return VALK_OK;
}

static bool ipv6_is_missing(const struct address *address)
{
	int descriptor = socket(address->socket.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (descriptor >= 0)
		close(descriptor);
	return descriptor < 0 && address->socket.any.sa_family == AF_INET6;
}

/* Binds every address. Port 0 is chosen by the first and kept by the others. */
static enum valk_error open_listeners(struct valk_server *server, bool hosts_given, struct valk_diagnostic *diagnostic)
{
	if (!hosts_given && ipv6_is_missing(&server->addresses[server->address_count - 1]))
		server->address_count--; /* no --host means what there is */
	size_t count = server->address_count;
	int *row = calloc(server->worker_count, sizeof(*row));
	server->descriptors = malloc(server->worker_count * count * sizeof(*server->descriptors));
	if (row == NULL || server->descriptors == NULL) {
		free(row);
		return diagnose(diagnostic, VALK_ERROR_MEMORY, "cannot open listeners: out of memory");
	}
	for (size_t i = 0; i < server->worker_count * count; i++)
		server->descriptors[i] = -1;
	enum valk_error error = VALK_OK;
	for (size_t i = 0; error == VALK_OK && i < count; i++) {
		if (i > 0 && address_port(&server->addresses[i]) == 0)
			address_set_port(&server->addresses[i], address_port(&server->addresses[0]));
		error = listener_probe(&server->addresses[i], diagnostic);
		if (error == VALK_OK)
			error = listener_open(&server->addresses[i], server->worker_count, row, diagnostic);
		for (size_t w = 0; error == VALK_OK && w < server->worker_count; w++)
			server->descriptors[w * count + i] = row[w];
	}
	free(row);
	return error;
}

static void on_worker_end(void *argument)
{
	struct valk_server *server = argument;
	if (atomic_fetch_sub(&server->running_workers, 1) == 1)
		wakeup_raise(server->done_descriptor);
}

/* Each worker begins on a cache line of its own, so that none writes a line that another reads. */
static struct worker *allocate_workers(unsigned count)
{
	size_t size = count * sizeof(struct worker);
	struct worker *workers = aligned_alloc(_Alignof(struct worker), size);
	if (workers != NULL)
		memset(workers, 0, size);
	return workers;
}

static enum valk_error set_up(struct valk_server *server, const struct valk_config *config,
			      struct valk_diagnostic *diagnostic)
{
	if (config->tls) {
		if (tls_library_init() != VALK_OK)
			return diagnose(diagnostic, VALK_ERROR_TLS, "the TLS library cannot be initialised");
		server->tls_initialised = true;
		enum valk_error error = config_load_tls(config, &server->credentials, &server->tickets, diagnostic);
		if (error != VALK_OK)
			return error;
	}
	cpu_plan_detect(&server->cpus);
	server->worker_count = config->workers > 0 ? config->workers : (unsigned)server->cpus.worker_count;
	server->workers = allocate_workers(server->worker_count);
	if (server->workers == NULL ||
	    (config->server_name != NULL && (server->server_name = strdup(config->server_name)) == NULL))
		return diagnose(diagnostic, VALK_ERROR_MEMORY, "cannot set up %u workers: out of memory",
				server->worker_count);
	server->done_descriptor = wakeup_open();
	if (server->done_descriptor < 0)
		return diagnose(diagnostic, VALK_ERROR_SYSTEM,
				"cannot create an eventfd; raise the descriptor limit (ulimit -n)");
	enum valk_error error = set_connection_limit(server, diagnostic);
	return error == VALK_OK ? open_listeners(server, config->host_count > 0, diagnostic) : error;
}

enum valk_error valk_server_create(const struct valk_config *config, struct valk_server **server,
				   struct valk_diagnostic *diagnostic)
{
	enum valk_error error = config_check_values(config, diagnostic);
	if (error != VALK_OK)
		return error;
	struct valk_server *created = calloc(1, sizeof(*created));
	if (created == NULL)
		return diagnose(diagnostic, VALK_ERROR_MEMORY, "cannot create a server: out of memory");
	created->done_descriptor = -1;
	created->limits = config->limits;
	created->log_descriptor = config->log_descriptor;
	created->log_level = config->log_level;
	created->log_timestamps = config->log_timestamps;
	error = config_parse_hosts(config, created->addresses, &created->address_count, diagnostic);
	if (error == VALK_OK)
		error = set_up(created, config, diagnostic);
	if (error != VALK_OK) {
		valk_server_destroy(created);
		return error;
	}
	created->shared.limits = &created->limits;
	created->shared.credentials = created->credentials;
	created->shared.tickets = created->tickets;
	created->shared.handler = config->handler;
	created->shared.server_name = created->server_name;
	created->shared.on_end = on_worker_end;
	created->shared.server = created;
	*server = created;
	return VALK_OK;
}

static void on_ready(void *context, enum valk_error error)
{
	struct hatching *hatching = context;
	pthread_mutex_lock(&hatching->lock);
	hatching->reported = true;
	hatching->error = error;
	pthread_cond_signal(&hatching->changed);
	pthread_mutex_unlock(&hatching->lock);
}

static void *run_thread(void *argument)
{
	struct hatching *hatching = argument;
	worker_run(hatching->worker, on_ready, hatching);
	return NULL;
}

/* Creates the thread of one worker, pinned where there are enough CPUs to go round. 0 or an errno. */
static int create_thread(struct valk_server *server, struct worker *worker, struct hatching *hatching)
{
	pthread_attr_t attributes;
	char name[16];
	pthread_attr_init(&attributes);
	if (server->worker_count <= server->cpus.cpu_count)
		(void)cpu_pin_attribute(&attributes, server->cpus.cpus[worker->index]);
	int reason = pthread_create(&worker->thread, &attributes, run_thread, hatching);
	pthread_attr_destroy(&attributes);
	if (reason == 0) {
		worker->thread_started = true;
		snprintf(name, sizeof(name), "valkyrie-%u", worker->index % 10000);
		pthread_setname_np(worker->thread, name);
	}
	return reason;
}

static enum valk_error hatch_worker(struct valk_server *server, struct worker *worker,
				    struct valk_diagnostic *diagnostic)
{
	struct hatching hatching = {worker, PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, false, VALK_OK};
	atomic_fetch_add(&server->running_workers, 1);
	int reason = create_thread(server, worker, &hatching);
	if (reason != 0) {
		atomic_fetch_sub(&server->running_workers, 1);
		return diagnose(diagnostic, VALK_ERROR_SYSTEM,
				"cannot start worker %u: %s; raise the limit on threads or give fewer --workers",
				worker->index, strerror(reason));
	}
	pthread_mutex_lock(&hatching.lock);
	while (!hatching.reported)
		pthread_cond_wait(&hatching.changed, &hatching.lock);
	pthread_mutex_unlock(&hatching.lock);
	if (hatching.error != VALK_OK)
		return diagnose(diagnostic, hatching.error, "cannot set up worker %u: %s", worker->index,
				valk_error_text(hatching.error));
	worker->serving = true;
	return VALK_OK;
}

/* Opens the log that create was given. */
static enum valk_error start_log(struct valk_server *server, struct valk_diagnostic *diagnostic)
{
	if (server->log_descriptor < 0)
		return VALK_OK;
	server->shared.log = log_start(server->log_descriptor, server->log_level, server->log_timestamps);
	if (server->shared.log != NULL)
		return VALK_OK;
	return diagnose(diagnostic, VALK_ERROR_SYSTEM, "cannot start the log thread; raise the limit on threads");
}

enum valk_error valk_server_start(struct valk_server *server, struct valk_diagnostic *diagnostic)
{
	sigset_t all, before;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before); /* inherited by the workers and the log's thread */
	server->started = true;
	for (unsigned i = 0; i < server->worker_count; i++)
		worker_init(&server->workers[i], &server->shared, i, server->descriptors + i * server->address_count,
			    server->address_count);
	enum valk_error error = start_log(server, diagnostic);
	for (unsigned i = 0; error == VALK_OK && i < server->worker_count; i++)
		error = hatch_worker(server, &server->workers[i], diagnostic);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return error;
}

static void command_all(struct valk_server *server, enum worker_command command)
{
	for (unsigned i = 0; i < server->worker_count; i++) {
		if (server->workers[i].serving)
			worker_command(&server->workers[i], command);
	}
}

void valk_server_drain(struct valk_server *server, uint32_t deadline_ms)
{
	for (unsigned i = 0; i < server->worker_count; i++)
		atomic_store_explicit(&server->workers[i].drain_deadline_ms, deadline_ms, memory_order_relaxed);
	command_all(server, COMMAND_DRAIN);
}

void valk_server_stop(struct valk_server *server)
{
	command_all(server, COMMAND_STOP);
}

int valk_server_done_descriptor(const struct valk_server *server)
{
	return server->done_descriptor;
}

void valk_server_rotate_tickets(struct valk_server *server)
{
	if (server->tickets != NULL && !tls_ticket_keys_rotate(server->tickets, time(NULL)))
		log_write(server->shared.log, VALK_LOG_WARNING,
			  "cannot make a new session ticket key; the old one stays in use");
}

bool valk_library_reads_random_device(void)
{
	return tls_library_reads_random_device();
}

void valk_library_describe(struct valk_library_info *info)
{
	snprintf(info->tls, sizeof(info->tls), "%s", tls_library_version());
	tls_library_acceleration(info->tls_acceleration, sizeof(info->tls_acceleration));
	http2_library_version(info->http2, sizeof(info->http2));
}

void valk_server_describe(const struct valk_server *server, struct valk_server_info *info)
{
	memset(info, 0, sizeof(*info));
	info->workers = server->worker_count;
	info->cpus = (unsigned)server->cpus.cpu_count;
	info->connections_max = server->shared.connections_max;
	info->url_count = server->address_count;
	for (size_t i = 0; i < server->address_count; i++) {
		char text[ADDRESS_TEXT_SIZE];
		address_format(&server->addresses[i], text);
		snprintf(info->urls[i], sizeof(info->urls[i]), "%s://%s",
			 server->credentials != NULL ? "https" : "http", text);
	}
	if (server->credentials != NULL) {
		const struct tls_certificate_info *leaf = &server->credentials->leaf;
		snprintf(info->certificate_subject, sizeof(info->certificate_subject), "%s", leaf->subject);
		tls_key_describe(&leaf->key, info->certificate_key, sizeof(info->certificate_key));
		info->certificate_not_after = leaf->not_after;
	}
}

void valk_server_count(const struct valk_server *server, struct valk_server_counters *counters)
{
	memset(counters, 0, sizeof(*counters));
	for (unsigned i = 0; i < server->worker_count; i++) {
		const struct worker *worker = &server->workers[i];
		const struct worker_counters *own = &worker->counters;
		counters->connections_accepted += counter_read(&own->accepted);
		counters->connections_open += counter_read(&own->accepted) - counter_read(&own->closed);
		counters->handshakes += counter_read(&own->handshakes);
		counters->handshakes_resumed += counter_read(&own->handshakes_resumed);
		counters->requests += counter_read(&worker->http2.counters.requests);
		for (size_t status = 0; status < 6; status++)
			counters->responses[status] += counter_read(&worker->http2.counters.responses[status]);
		counters->body_bytes += counter_read(&worker->http2.counters.body_bytes);
		for (size_t reason = 0; reason < REFUSAL_COUNT; reason++)
			counters->refusals_by_reason[reason] += counter_read(&own->refusals[reason]);
		counters->cut_connections += counter_read(&own->cut_connections);
		counters->cut_streams += counter_read(&own->cut_streams);
	}
	for (size_t reason = 0; reason < REFUSAL_COUNT; reason++)
		counters->refusals += reason != REFUSAL_IDLE ? counters->refusals_by_reason[reason] : 0;
}

const char *valk_refusal_name(unsigned reason)
{
	return refusal_name((enum refusal)reason);
}

void valk_server_log(struct valk_server *server, enum valk_log_level level, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	log_write_arguments(server->shared.log, level, format, arguments);
	va_end(arguments);
}

/* Joins the workers and closes what they were to take over but did not. */
static void end_workers(struct valk_server *server)
{
	for (unsigned i = 0; server->workers != NULL && i < server->worker_count; i++) {
		struct worker *worker = &server->workers[i];
		if (worker->thread_started) {
			pthread_join(worker->thread, NULL);
			worker_dispose(worker);
			continue;
		}
		for (size_t a = 0; server->descriptors != NULL && a < server->address_count; a++) {
			int descriptor = server->descriptors[i * server->address_count + a];
			if (descriptor >= 0)
				close(descriptor);
		}
	}
}

void valk_server_destroy(struct valk_server *server)
{
	if (server == NULL)
		return;
	if (server->started)
		valk_server_stop(server);
	end_workers(server);
	log_stop(server->shared.log, LOG_PATIENCE_MS);
	tls_credentials_destroy(server->credentials);
	tls_ticket_keys_destroy(server->tickets);
	if (server->tls_initialised)
		tls_library_dispose();
	if (server->done_descriptor >= 0)
		close(server->done_descriptor);
	free(server->descriptors);
	free(server->workers);
	free(server->server_name);
	free(server);
}
