/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <seccomp.h>
#include <string.h>

#include "sandbox/confinement.h"

/* What the workers, the log's thread and the waiting main thread do once they run, and what the C library does for
 * them. A call that is missing here fails with EPERM: `strace -f` of a loaded server shows it. */
static const int allowed_calls[] = {
	/* connections */
	SCMP_SYS(accept4),
	SCMP_SYS(recvfrom),
	SCMP_SYS(sendto),
	SCMP_SYS(shutdown),
	SCMP_SYS(close),
	SCMP_SYS(setsockopt),
	SCMP_SYS(getsockopt),
	SCMP_SYS(fcntl),
	/* loops, wake-ups, signals, the log */
	SCMP_SYS(epoll_wait),
	SCMP_SYS(epoll_pwait),
	SCMP_SYS(epoll_ctl),
	SCMP_SYS(poll),
	SCMP_SYS(ppoll),
	SCMP_SYS(read),
	SCMP_SYS(write),
	SCMP_SYS(writev),
	SCMP_SYS(futex),
	SCMP_SYS(sched_yield),
	SCMP_SYS(restart_syscall),
	SCMP_SYS(rt_sigprocmask),
	SCMP_SYS(rt_sigreturn),
	SCMP_SYS(rt_sigaction),
	SCMP_SYS(sigaltstack),
	/* time and random numbers */
	SCMP_SYS(clock_gettime),
	SCMP_SYS(clock_nanosleep),
	SCMP_SYS(nanosleep),
	SCMP_SYS(gettimeofday),
	SCMP_SYS(time),
	SCMP_SYS(getrandom),
	/* memory */
	SCMP_SYS(mmap),
	SCMP_SYS(munmap),
	SCMP_SYS(mprotect),
	SCMP_SYS(mremap),
	SCMP_SYS(madvise),
	SCMP_SYS(brk),
	SCMP_SYS(membarrier),
	/* the end, ordinary or not */
	SCMP_SYS(exit),
	SCMP_SYS(exit_group),
	SCMP_SYS(getpid),
	SCMP_SYS(gettid),
	SCMP_SYS(tgkill),
	SCMP_SYS(rseq),
	SCMP_SYS(set_robust_list),
	SCMP_SYS(lseek),
	SCMP_SYS(fstat),
	SCMP_SYS(newfstatat),
};

static int add_rules(scmp_filter_ctx filter, bool keep_opening)
{
	int status = seccomp_attr_set(filter, SCMP_FLTATR_CTL_TSYNC, 1); /* the threads that run already */
	if (status == 0)
		status = seccomp_attr_set(filter, SCMP_FLTATR_CTL_OPTIMIZE, 2); /* a tree instead of a list */
	for (size_t i = 0; status == 0 && i < sizeof(allowed_calls) / sizeof(allowed_calls[0]); i++)
		status = seccomp_rule_add(filter, SCMP_ACT_ALLOW, allowed_calls[i], 0);
	if (status == 0 && keep_opening)
		status = seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(openat), 0);
	return status;
}

enum valk_error confinement_limit_calls(bool keep_opening, struct valk_diagnostic *diagnostic)
{
	scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ERRNO(EPERM));
	int status = filter != NULL ? add_rules(filter, keep_opening) : -ENOMEM;
	if (status == 0)
		status = seccomp_load(filter);
	if (filter != NULL)
		seccomp_release(filter);
	if (status != 0)
		return diagnose(diagnostic, VALK_ERROR_SYSTEM,
				"the kernel takes no seccomp filter (%s); every system call stays allowed",
				strerror(-status));
	return VALK_OK;
}
