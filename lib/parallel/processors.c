/* SPDX-License-Identifier: MIT */
/*
 * Processors of this process, not of the machine: a job on a node that it
 * shares is bound to some of them, a container gets the time of some.
 *
 * /proc/self/cgroup has a line NUMBER:CONTROLLERS:PATH for each hierarchy.  A
 * limit of any group from there up to the root counts.  In a container the path
 * may be that of the host, of which only the root can be seen.
 */
#define _GNU_SOURCE /* sched_getaffinity(), CPU_COUNT_S() */
#include "parallel/processors.h"

#include <errno.h>
#include <limits.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PATH_NBYTES 4096

/* No machine that this runs on has more. */
#define PROCESSORS_MAX (1 << 16)

/* The first line of a file; false if it cannot be read. */
static bool read_line(const char *path, char *line, int line_nbytes)
{
	FILE *file = fopen(path, "re");
	bool is_read;

	if (!file)
		return false;
	is_read = fgets(line, line_nbytes, file) != NULL;
	fclose(file);
	return is_read;
}

/* Rounded up; 0 for what makes no sense. */
static unsigned share(long long quota, long long period)
{
	if (quota <= 0 || period <= 0 || quota / period >= PROCESSORS_MAX)
		return 0;
	return (unsigned)((quota + period - 1) / period);
}

/* "QUOTA PERIOD" in microseconds, or "max PERIOD". */
static unsigned limit_2(const char *group)
{
	char path[PATH_NBYTES + 16], line[64];
	long long quota, period;

	snprintf(path, sizeof(path), "%s/cpu.max", group);
	if (!read_line(path, line, sizeof(line)) ||
	    sscanf(line, "%18lld %18lld", &quota, &period) != 2)
		return 0;
	return share(quota, period);
}

/* Two files; the quota is -1 without a limit. */
static unsigned limit_1(const char *group)
{
	char path[PATH_NBYTES + 32], line[64];
	long long quota, period;

	snprintf(path, sizeof(path), "%s/cpu.cfs_quota_us", group);
	if (!read_line(path, line, sizeof(line)) ||
	    sscanf(line, "%18lld", &quota) != 1)
		return 0;
	snprintf(path, sizeof(path), "%s/cpu.cfs_period_us", group);
	if (!read_line(path, line, sizeof(line)) ||
	    sscanf(line, "%18lld", &period) != 1)
		return 0;
	return share(quota, period);
}

/* The less of two, of which 0 is no limit. */
static unsigned less(unsigned a, unsigned b)
{
	return a == 0 || (b > 0 && b < a) ? b : a;
}

/* Where hierarchies are mounted everywhere. */
static const struct mount {
	const char *place;
	bool is_version_2;
} mounts[] = {
	{ "/sys/fs/cgroup", true },
	{ "/sys/fs/cgroup/unified", true },
	{ "/sys/fs/cgroup/cpu", false },
	{ "/sys/fs/cgroup/cpu,cpuacct", false },
};

/* A group and all above it. */
static unsigned limit_upwards(const char *root, const struct mount *mount,
			      const char *path)
{
	char group[PATH_NBYTES];
	size_t base = (size_t)snprintf(group, sizeof(group), "%s%s", root,
				       mount->place);
	unsigned limit = 0;
	char *slash;

	if (base + strlen(path) >= sizeof(group) || strstr(path, "/.."))
		path = "";
	strcpy(group + base, path);
	for (;;) {
		limit = less(limit, mount->is_version_2 ? limit_2(group) :
							  limit_1(group));
		slash = strrchr(group + base, '/');
		if (!slash)
			return limit;
		*slash = '\0';
	}
}

/* Whether a word is in a list with commas. */
static bool has_word(const char *list, const char *word)
{
	size_t n = strlen(word);

	for (; *list; list += strcspn(list, ","), list += *list == ',')
		if (strncmp(list, word, n) == 0 &&
		    (list[n] == ',' || list[n] == '\0'))
			return true;
	return false;
}

/* Takes a line apart, in place. */
static unsigned limit_of_line(const char *root, char *line)
{
	char *controllers = strchr(line, ':');
	char *path = controllers ? strchr(controllers + 1, ':') : NULL;
	unsigned limit = 0;
	bool is_version_2;

	if (!path)
		return 0;
	*path++ = '\0';
	controllers++;
	path[strcspn(path, "\n")] = '\0';
	is_version_2 = controllers[0] == '\0';
	if (!is_version_2 && !has_word(controllers, "cpu"))
		return 0;
	for (size_t i = 0; i < sizeof(mounts) / sizeof(*mounts); i++)
		if (mounts[i].is_version_2 == is_version_2)
			limit = less(limit,
				     limit_upwards(root, &mounts[i], path));
	return limit;
}

unsigned processors_of_groups(const char *root)
{
	char path[PATH_NBYTES], *line = NULL;
	unsigned limit = 0;
	size_t size = 0;
	FILE *file;

	snprintf(path, sizeof(path), "%s/proc/self/cgroup", root);
	file = fopen(path, "re");
	if (!file)
		return 0;
	while (getline(&line, &size, file) > 0)
		limit = less(limit, limit_of_line(root, line));
	free(line);
	fclose(file);
	return limit;
}

#ifdef __linux__
/* 0 if the system does not say. */
static unsigned processors_of_affinity(void)
{
	unsigned n = 0;

	for (size_t max = CPU_SETSIZE; n == 0 && max <= PROCESSORS_MAX;
	     max *= 2) {
		size_t nbytes = CPU_ALLOC_SIZE(max);
		cpu_set_t *set = CPU_ALLOC(max);

		if (!set)
			return 0;
		if (sched_getaffinity(0, nbytes, set) == 0)
			n = (unsigned)CPU_COUNT_S(nbytes, set);
		else if (errno != EINVAL)
			max = PROCESSORS_MAX;
		CPU_FREE(set);
	}
	return n;
}
#else
static unsigned processors_of_affinity(void)
{
	return 0;
}
#endif

/* Read once; UINT_MAX: not yet. */
static atomic_uint groups_limit = UINT_MAX;

unsigned processors_count(void)
{
	unsigned n = processors_of_affinity();
	long online = n > 0 ? 0 : sysconf(_SC_NPROCESSORS_ONLN);
	unsigned groups = atomic_load(&groups_limit);

	/* Ten files are too many for each archive that is opened. */
	if (groups == UINT_MAX) {
		groups = processors_of_groups("");
		atomic_store(&groups_limit, groups);
	}
	n = less(n, online > 0 ? (unsigned)online : 0);
	n = less(n, groups);
	return n > 0 ? n : 1;
}
