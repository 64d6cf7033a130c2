/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE
#include "server/worker.h"

#include <errno.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/wakeup.h"
#include "net/listener.h"
#include "server/connection.h"
#include "tls/tls_library.h"

enum {
	ACCEPTS_PER_WAKEUP = 64,       /* L12 */
	REFUSAL_LINES_PER_SECOND = 20, /* an attack must not fill the disk; the counters see everything */
	ACTIVE_CHECK_MS = 1000,
	LINGER_MS = 2000,
};

static const double accept_rest_seconds = 0.25; /* after EMFILE: a listener at its limit would spin */

static uint64_t worker_now(void *context)
{
	const struct worker *worker = context;
	return worker->now_ms;
}

static void on_timeout(void *context, struct timeout_entry *entry)
{
	(void)context;
	connection_on_timeout(entry);
}

static void on_http2_refusal(void *owner, enum refusal refusal, int32_t stream_id, const char *detail)
{
	connection_refuse(owner, refusal, stream_id, detail);
}

void worker_count_refusal(struct worker *worker, enum refusal refusal)
{
	counter_add(&worker->counters.refusals[refusal], 1);
}

void worker_refuse(struct worker *worker, enum refusal refusal, const struct address *peer, int32_t stream_id,
		   const char *detail)
{
	char text[ADDRESS_TEXT_SIZE] = "clients";
	worker_count_refusal(worker, refusal);
	if (worker->log_budget == 0)
		return;
	worker->log_budget--;
	enum valk_log_level level = refusal == REFUSAL_IDLE ? VALK_LOG_DETAIL : VALK_LOG_NOTICE;
	if (peer != NULL)
		address_format(peer, text);
	if (stream_id != 0)
		log_write(worker->shared->log, level, "refused %s stream %d: %s (%s)", text, (int)stream_id,
			  refusal_name(refusal), detail);
	else
		log_write(worker->shared->log, level, "refused %s: %s (%s)", text, refusal_name(refusal), detail);
	if (worker->log_budget == 0)
		log_write(worker->shared->log, VALK_LOG_NOTICE,
			  "worker %u: further refusals in this second are counted, not logged", worker->index);
}

static void set_accepting(struct worker *worker, bool accepting)
{
	if (worker->accepting == accepting)
		return;
	worker->accepting = accepting;
	for (size_t i = 0; i < worker->listener_count; i++) {
		if (accepting)
			ev_io_start(worker->loop, &worker->listeners[i].watcher);
		else
			ev_io_stop(worker->loop, &worker->listeners[i].watcher);
	}
}

static bool has_room(const struct worker *worker)
{
	return worker->connection_count < worker->shared->connections_max;
}

/* L13: the rest waits in the kernel until somebody leaves. */
static void rest_when_full(struct worker *worker)
{
	char detail[96];
	if (worker->accepting) {
		refusal_describe_limit(detail, sizeof(detail), "connections of this worker",
				       worker->connection_count + 1ULL, worker->shared->connections_max);
		worker_refuse(worker, REFUSAL_CONNECTIONS, NULL, 0, detail);
	}
	set_accepting(worker, false);
}

/* Out of descriptors or memory, mostly. */
static void rest_after_failure(struct worker *worker, const char *reason)
{
	worker_refuse(worker, REFUSAL_CONNECTIONS, NULL, 0, reason);
	set_accepting(worker, false);
	ev_timer_stop(worker->loop, &worker->accept_rest); /* a drain tries once more, in the middle of a rest */
	ev_timer_set(&worker->accept_rest, accept_rest_seconds, 0.0);
	ev_timer_start(worker->loop, &worker->accept_rest);
}

/* Accepts up to `most` connections from one listener. */
static void accept_some(struct worker *worker, int listener, unsigned most)
{
	for (unsigned i = 0; i < most; i++) {
		struct address peer;
		char text[96];
		if (!has_room(worker)) {
			rest_when_full(worker);
			return;
		}
		int descriptor = listener_accept(listener, &peer);
		if (descriptor >= 0) {
			connection_open(worker, descriptor, &peer);
			continue;
		}
		if (descriptor == -ECONNABORTED || descriptor == -EINTR || descriptor == -EPROTO)
			continue;
		if (descriptor != -EAGAIN)
			rest_after_failure(worker, strerror_r(-descriptor, text, sizeof(text)));
		return;
	}
}

/* libev stops a watcher whose descriptor the kernel does not take, and says so. */
static void on_acceptable(struct ev_loop *loop, ev_io *watcher, int events)
{
	(void)loop;
	if ((events & EV_ERROR) != 0)
		rest_after_failure(watcher->data, "the kernel does not watch the listener");
	else
		accept_some(watcher->data, watcher->fd, ACCEPTS_PER_WAKEUP);
}

static void resume_accepting(struct worker *worker)
{
	if (!worker->draining && !ev_is_active(&worker->accept_rest) && has_room(worker))
		set_accepting(worker, true);
}

static void on_accept_rested(struct ev_loop *loop, ev_timer *timer, int events)
{
	(void)loop;
	(void)events;
	resume_accepting(timer->data);
}

void worker_connection_closed(struct worker *worker)
{
	worker->connection_count--;
	counter_add(&worker->counters.closed, 1);
	if (worker->draining && worker->connection_count == 0) {
		ev_break(worker->loop, EVBREAK_ALL);
	} else if (!worker->accepting) {
		ev_timer_stop(worker->loop, &worker->accept_rest); /* a descriptor is free again */
		resume_accepting(worker);
	}
}

/* After every wait in the kernel: what time is it, and does the Date need renewing. No timer wakes an idle worker. */
static void on_after_poll(struct ev_loop *loop, ev_check *watcher, int events)
{
	(void)loop;
	(void)events;
	struct worker *worker = watcher->data;
	worker->now_ms = clock_monotonic_ms();
	if (worker->now_ms < worker->date_due_ms)
		return;
	struct timespec wall;
	clock_gettime(CLOCK_REALTIME, &wall);
	http_date_format(wall.tv_sec, worker->date);
	worker->date_due_ms = worker->now_ms + 1000 - (uint64_t)wall.tv_nsec / 1000000;
	worker->log_budget = REFUSAL_LINES_PER_SECOND;
}

static void close_listeners(struct worker *worker)
{
	set_accepting(worker, false);
	for (size_t i = 0; i < worker->listener_count; i++)
		close(worker->listeners[i].descriptor);
	worker->listener_count = 0;
}

/* Applies `visit` to every connection; it may destroy the one it is given, and move it to the class of active ones. */
static void for_each_connection(struct worker *worker, void (*visit)(struct worker *, struct timeout_entry *))
{
	static const enum waiting order[] = {WAITING_LINGER, WAITING_ACTIVE, WAITING_IDLE, WAITING_HANDSHAKE};
	for (size_t i = 0; i < WAITING_COUNT; i++) {
		struct list *queue = &worker->timeouts[order[i]].queue;
		/* The visited may move to the tail of this very queue: who is there now is the last. */
		const struct list *last = queue->previous;
		struct list *node = queue->next;
		for (bool more = node != queue; more;) {
			struct list *next = node->next;
			more = node != last;
			visit(worker, list_entry(node, struct timeout_entry, node));
			node = next;
		}
	}
}

static void drain_connection(struct worker *worker, struct timeout_entry *entry)
{
	(void)worker;
	connection_drain(entry);
}

static void cut_connection(struct worker *worker, struct timeout_entry *entry)
{
	counter_add(&worker->counters.cut_connections, 1);
	counter_add(&worker->counters.cut_streams, connection_cut(entry));
}

static void on_drain_deadline(struct ev_loop *loop, ev_timer *timer, int events)
{
	(void)events;
	for_each_connection(timer->data, cut_connection);
	ev_break(loop, EVBREAK_ALL);
}

static void start_drain(struct worker *worker)
{
	if (worker->draining)
		return;
	/* Connections the kernel has completed already would be reset with the listener: take them first. */
	for (size_t i = 0; i < worker->listener_count; i++)
		accept_some(worker, worker->listeners[i].descriptor, worker->shared->connections_max);
	worker->draining = true;
	close_listeners(worker);
	ev_timer_set(&worker->drain_deadline,
		     atomic_load_explicit(&worker->drain_deadline_ms, memory_order_relaxed) / 1000.0, 0.0);
	ev_timer_start(worker->loop, &worker->drain_deadline);
	for_each_connection(worker, drain_connection);
	if (worker->connection_count == 0)
		ev_break(worker->loop, EVBREAK_ALL);
}

static void on_wake(struct ev_loop *loop, ev_io *watcher, int events)
{
	struct worker *worker = watcher->data;
	wakeup_clear(worker->wake_descriptor);
	if ((events & EV_ERROR) != 0) {
		/* The kernel refused it: without it no command would be heard. Setting it anew has libev ask again. */
		ev_io_set(watcher, worker->wake_descriptor, EV_READ);
		ev_io_start(loop, watcher);
	}
	unsigned commands = atomic_exchange_explicit(&worker->commands, 0, memory_order_acquire);
	if ((commands & COMMAND_STOP) != 0)
		ev_break(loop, EVBREAK_ALL);
	else if ((commands & COMMAND_DRAIN) != 0)
		start_drain(worker);
}

void worker_command(struct worker *worker, enum worker_command command)
{
	atomic_fetch_or_explicit(&worker->commands, (unsigned)command, memory_order_release);
	wakeup_raise(worker->wake_descriptor);
}

void worker_dispose(struct worker *worker)
{
	if (worker->loop != NULL)
		ev_loop_destroy(worker->loop);
	if (worker->wake_descriptor >= 0)
		close(worker->wake_descriptor);
}

void worker_init(struct worker *worker, const struct worker_shared *shared, unsigned index, const int descriptors[],
		 size_t listener_count)
{
	worker->shared = shared;
	worker->index = index;
	worker->listener_count = listener_count;
	worker->wake_descriptor = -1;
	for (size_t i = 0; i < listener_count; i++)
		worker->listeners[i].descriptor = descriptors[i];
}

/* Just before epoll_wait. A descriptor that the kernel has refused a moment ago has its callback pending, which libev
 * would leave until something else wakes it. */
static void on_before_wait(struct ev_loop *loop) EV_NOEXCEPT
{
	const struct worker *worker = ev_userdata(loop);
	if (ev_pending_count(loop) > 0)
		wakeup_raise(worker->wake_descriptor);
}

static void on_after_wait(struct ev_loop *loop) EV_NOEXCEPT
{
	(void)loop;
}

static void init_watchers(struct worker *worker)
{
	ev_set_userdata(worker->loop, worker);
	ev_set_loop_release_cb(worker->loop, on_before_wait, on_after_wait);
	ev_io_init(&worker->wake, on_wake, worker->wake_descriptor, EV_READ);
	worker->wake.data = worker;
	ev_io_start(worker->loop, &worker->wake);
	ev_check_init(&worker->after_poll, on_after_poll);
	worker->after_poll.data = worker;
	ev_set_priority(&worker->after_poll, EV_MAXPRI); /* before every callback that asks the time */
	ev_check_start(worker->loop, &worker->after_poll);
	ev_timer_init(&worker->accept_rest, on_accept_rested, 0.0, 0.0);
	worker->accept_rest.data = worker;
	ev_timer_init(&worker->drain_deadline, on_drain_deadline, 0.0, 0.0);
	worker->drain_deadline.data = worker;
	for (size_t i = 0; i < worker->listener_count; i++) {
		struct worker_listener *listener = &worker->listeners[i];
		ev_io_init(&listener->watcher, on_acceptable, listener->descriptor, EV_READ);
		listener->watcher.data = worker;
	}
}

static void init_timeouts(struct worker *worker)
{
	const struct valk_limits *limits = worker->shared->limits;
	const uint64_t lengths_ms[WAITING_COUNT] = {
		[WAITING_HANDSHAKE] = limits->handshake_timeout_ms,
		[WAITING_IDLE] = limits->idle_timeout_ms,
		[WAITING_ACTIVE] = ACTIVE_CHECK_MS,
		[WAITING_LINGER] = LINGER_MS,
	};
	for (size_t i = 0; i < WAITING_COUNT; i++)
		timeout_class_init(&worker->timeouts[i], worker->loop, lengths_ms[i], worker_now, on_timeout, worker);
}

static enum valk_error init_http2(struct worker *worker)
{
	const struct http2_observer observer = {on_http2_refusal};
	return http2_context_init(&worker->http2, worker->slab, worker->shared->limits, &worker->shared->handler,
				  &observer, worker->date, worker->shared->server_name);
}

/* What libev does when epoll_wait fails: it would abort. It tries again when this returns; the pause keeps that from
 * being a spin. */
static void on_system_error(const char *what)
{
	(void)what;
	nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
}

/* Everything a worker needs, made on its own thread so that its memory is local to it. */
static enum valk_error set_up(struct worker *worker)
{
	const struct worker_shared *shared = worker->shared;
	struct valk_diagnostic diagnostic;
	ev_set_syserr_cb(on_system_error);
	worker->loop = ev_loop_new(EVBACKEND_EPOLL | EVFLAG_NOENV | EVFLAG_NOSIGMASK);
	worker->wake_descriptor = wakeup_open();
	if (worker->loop == NULL || worker->wake_descriptor < 0)
		return VALK_ERROR_SYSTEM;
	worker->slab = slab_create();
	if (worker->slab == NULL)
		return VALK_ERROR_MEMORY;
	output_pool_init(&worker->outputs, worker->slab);
	if (!output_pool_take(&worker->outputs, &worker->output))
		return VALK_ERROR_MEMORY;
	tls_library_use_slab(worker->slab);
	if (shared->credentials != NULL) {
		enum valk_error error = tls_context_init(&worker->tls, shared->credentials, shared->tickets,
							 shared->limits, &worker->output, &diagnostic);
		if (error != VALK_OK)
			return error;
	}
	enum valk_error error = init_http2(worker);
	if (error != VALK_OK)
		return error;
	init_watchers(worker);
	init_timeouts(worker);
	on_after_poll(worker->loop, &worker->after_poll, 0);
	return VALK_OK;
}

static void tear_down(struct worker *worker)
{
	if (worker->http2.callbacks != NULL) {
		for_each_connection(worker, cut_connection);
		close_listeners(worker);
		for (size_t i = 0; i < WAITING_COUNT; i++)
			timeout_class_dispose(&worker->timeouts[i]);
		http2_context_dispose(&worker->http2);
	} else {
		for (size_t i = 0; i < worker->listener_count; i++)
			close(worker->listeners[i].descriptor);
	}
	tls_context_dispose(&worker->tls);
	tls_library_use_slab(NULL);
	output_pool_return(&worker->outputs, &worker->output);
	output_pool_dispose(&worker->outputs);
	slab_destroy(worker->slab);
	worker->slab = NULL;
}

void worker_run(struct worker *worker, void (*ready)(void *context, enum valk_error error), void *context)
{
	enum valk_error error = set_up(worker);
	ready(context, error);
	if (error == VALK_OK) {
		ev_run(worker->loop, EVRUN_NOWAIT); /* registers the wake-up itself, with a second try */
		set_accepting(worker, true);
		ev_run(worker->loop, 0);
	}
	tear_down(worker);
	worker->shared->on_end(worker->shared->server);
}
