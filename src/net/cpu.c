/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE
#include "net/cpu.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

size_t cpu_quota_to_count(long long quota, long long period)
{
	if (quota <= 0 || period <= 0)
		return CPU_LIMIT; /* no limit */
	long long count = (quota + period - 1) / period;
	return count < 1 ? 1 : count > CPU_LIMIT ? CPU_LIMIT : (size_t)count;
}

/* Reads up to two numbers from a small file; the word "max" counts as -1. Returns how many were read. */
static int read_numbers(const char *path, long long numbers[2])
{
	FILE *file = fopen(path, "re");
	if (file == NULL)
		return 0;
	char words[2][32];
	int count = fscanf(file, "%31s %31s", words[0], words[1]);
	fclose(file);
	for (int i = 0; i < count; i++)
		numbers[i] = strcmp(words[i], "max") == 0 ? -1 : atoll(words[i]);
	return count < 0 ? 0 : count;
}

static size_t quota_of_folder(const char *folder)
{
	char path[600];
	long long numbers[2], period[2];
	snprintf(path, sizeof(path), "%s/cpu.max", folder);
	if (read_numbers(path, numbers) == 2)
		return cpu_quota_to_count(numbers[0], numbers[1]);
	snprintf(path, sizeof(path), "%s/cpu.cfs_quota_us", folder);
	if (read_numbers(path, numbers) < 1)
		return CPU_LIMIT;
	snprintf(path, sizeof(path), "%s/cpu.cfs_period_us", folder);
	return read_numbers(path, period) < 1 ? CPU_LIMIT : cpu_quota_to_count(numbers[0], period[0]);
}

/* The tightest quota from `group` up to the root of the hierarchy mounted at `mount`. */
static size_t quota_of_group(const char *mount, const char *group)
{
	char folder[512];
	size_t tightest = CPU_LIMIT;
	snprintf(folder, sizeof(folder), "%s%s", mount, group);
	for (;;) {
		size_t quota = quota_of_folder(folder);
		if (quota < tightest)
			tightest = quota;
		char *slash = strrchr(folder, '/');
		if (slash == NULL || (size_t)(slash - folder) < strlen(mount))
			return tightest;
		*slash = '\0';
	}
}

static size_t read_quota(void)
{
	size_t tightest = CPU_LIMIT;
	FILE *file = fopen("/proc/self/cgroup", "re");
	if (file == NULL)
		return tightest;
	char line[512];
	while (fgets(line, sizeof(line), file) != NULL) {
		line[strcspn(line, "\n")] = '\0';
		char *controllers = strchr(line, ':');
		char *group = controllers != NULL ? strchr(controllers + 1, ':') : NULL;
		if (group == NULL)
			continue;
		*group++ = '\0';
		controllers++;
		size_t quota = CPU_LIMIT;
		if (controllers[0] == '\0')
			quota = quota_of_group("/sys/fs/cgroup", group);
		else if (strstr(controllers, "cpu") != NULL && strstr(controllers, "cpuset") == NULL)
			quota = quota_of_group("/sys/fs/cgroup/cpu", group);
		if (quota < tightest)
			tightest = quota;
	}
	fclose(file);
	return tightest;
}

void cpu_plan_detect(struct cpu_plan *plan)
{
	cpu_set_t mask;
	memset(plan, 0, sizeof(*plan));
	if (sched_getaffinity(0, sizeof(mask), &mask) == 0) {
		for (unsigned cpu = 0; cpu < CPU_LIMIT && cpu < CPU_SETSIZE; cpu++) {
			if (CPU_ISSET(cpu, &mask))
				plan->cpus[plan->cpu_count++] = (unsigned short)cpu;
		}
	}
	if (plan->cpu_count == 0)
		plan->cpu_count = 1; /* CPU 0, already zero */
	size_t quota = read_quota();
	plan->worker_count = quota < plan->cpu_count ? quota : plan->cpu_count;
}

int cpu_pin_attribute(pthread_attr_t *attributes, unsigned cpu)
{
	cpu_set_t mask;
	CPU_ZERO(&mask);
	CPU_SET(cpu, &mask);
	return pthread_attr_setaffinity_np(attributes, sizeof(mask), &mask);
}
