/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE
#include "net/port_holder.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TCP_STATE_LISTEN = 0x0a };

/* Inode of the socket that listens on `port` by a table like /proc/net/tcp; 0 when there is none. */
static unsigned long find_inode(const char *table, uint16_t port)
{
	FILE *file = fopen(table, "re");
	if (file == NULL)
		return 0;
	char line[512];
	unsigned long found = 0;
	while (found == 0 && fgets(line, sizeof(line), file) != NULL) {
		unsigned local_port, state;
		unsigned long inode;
		if (sscanf(line, "%*d: %*[0-9A-Fa-f]:%x %*[0-9A-Fa-f]:%*x %x %*x:%*x %*x:%*x %*x %*d %*d %lu",
			   &local_port, &state, &inode) == 3 &&
		    local_port == port && state == TCP_STATE_LISTEN)
			found = inode;
	}
	fclose(file);
	return found;
}

static bool process_holds(const char *pid, const char *socket_name)
{
	char path[300];
	snprintf(path, sizeof(path), "/proc/%s/fd", pid);
	DIR *folder = opendir(path);
	if (folder == NULL)
		return false;
	bool holds = false;
	struct dirent *entry;
	while (!holds && (entry = readdir(folder)) != NULL) {
		char target[64];
		ssize_t length = readlinkat(dirfd(folder), entry->d_name, target, sizeof(target) - 1);
		if (length <= 0)
			continue;
		target[length] = '\0';
		holds = strcmp(target, socket_name) == 0;
	}
	closedir(folder);
	return holds;
}

static void describe_process(const char *pid, char *text, size_t size)
{
	char path[300];
	char name[32] = "unknown";
	snprintf(path, sizeof(path), "/proc/%s/comm", pid);
	FILE *file = fopen(path, "re");
	if (file != NULL) {
		if (fgets(name, sizeof(name), file) != NULL)
			name[strcspn(name, "\n")] = '\0';
		fclose(file);
	}
	snprintf(text, size, "pid %s (%s)", pid, name);
}

bool port_holder_find(uint16_t port, char *text, size_t size)
{
	char socket_name[64];
	unsigned long inode = find_inode("/proc/net/tcp", port);
	if (inode == 0)
		inode = find_inode("/proc/net/tcp6", port);
	DIR *folder = inode != 0 ? opendir("/proc") : NULL;
	if (folder == NULL)
		return false;
	snprintf(socket_name, sizeof(socket_name), "socket:[%lu]", inode);
	bool found = false;
	struct dirent *entry;
	while (!found && (entry = readdir(folder)) != NULL) {
		if (entry->d_name[0] < '1' || entry->d_name[0] > '9' || !process_holds(entry->d_name, socket_name))
			continue;
		describe_process(entry->d_name, text, size);
		found = true;
	}
	closedir(folder);
	return found;
}
