/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which CPUs this process may use. */
#ifndef NET_CPU_H
#define NET_CPU_H

#include <pthread.h>
#include <stddef.h>

enum { CPU_LIMIT = 1024 }; /* as many as a cpu_set_t holds */

/* CPUs the process may run on. */
struct cpu_plan {
	size_t cpu_count;    /* CPUs in the affinity mask */
	size_t worker_count; /* the same, less where a cgroup CPU quota allows fewer whole CPUs; at least 1 */
	unsigned short cpus[CPU_LIMIT]; /* their numbers, ascending */
};

/* Reads the affinity mask and the CPU quota of the process's cgroup (v2 and v1, every level up to the root). */
void cpu_plan_detect(struct cpu_plan *plan);

/* Whole CPUs that a cgroup quota of `quota` per `period` microseconds allows, rounded up, at least 1. */
size_t cpu_quota_to_count(long long quota, long long period);

/* Attribute for a thread that runs on `cpu` only; 0 or an errno. The caller initialised `attributes`. */
int cpu_pin_attribute(pthread_attr_t *attributes, unsigned cpu);

#endif
