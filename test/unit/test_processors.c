/* SPDX-License-Identifier: MIT */
#include "parallel/processors.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"
#include "nc3z_tools.h"

static char root[64];

/* Writes a file of a tree of its own, and the directories above it. */
static void put(const char *name, const char *text)
{
	char path[512];
	FILE *file;

	snprintf(path, sizeof(path), "%s%s", root, name);
	for (char *slash = strchr(path + strlen(root) + 1, '/'); slash;
	     slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(path, 0700);
		*slash = '/';
	}
	file = fopen(path, "w");
	CHECK(file != NULL);
	if (!file)
		return;
	fputs(text, file);
	fclose(file);
}

static void begin(void)
{
	strcpy(root, "/tmp/nc3z-processors-XXXXXX");
	CHECK(mkdtemp(root) != NULL);
}

static void end(void)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -r %s", root);
	CHECK(system(command) == 0);
}

#define LIMIT_OF(cgroup, file, text) \
	(begin(), put("/proc/self/cgroup", cgroup), \
	 put("/sys/fs/cgroup" file, text), processors_of_groups(root))

static void test_version_2(void)
{
	static const struct {
		const char *text;
		unsigned limit;
	} rows[] = {
		{ "max 100000\n", 0 },
		{ "400000 100000\n", 4 },
		{ "150000 100000\n", 2 },
		{ "1000 100000\n", 1 },
		{ "0 100000\n", 0 },
		{ "-1 100000\n", 0 },
		{ "400000 0\n", 0 },
		{ "400000", 0 },
		{ "", 0 },
		{ "99999999999999999999 1", 0 },
		{ "400000 100000 more", 4 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		unsigned limit = LIMIT_OF("0::/job/step\n", "/job/step/cpu.max",
					  rows[i].text);

		CHECK(limit == rows[i].limit);
		end();
	}
}

static void test_groups_above(void)
{
	unsigned limit = LIMIT_OF("0::/a/b/c\n", "/a/cpu.max", "300000 100000");

	CHECK(limit == 3);
	put("/sys/fs/cgroup/a/b/cpu.max", "max 100000");
	put("/sys/fs/cgroup/a/b/c/cpu.max", "700000 100000");
	CHECK(processors_of_groups(root) == 3);
	put("/sys/fs/cgroup/a/b/cpu.max", "200000 100000");
	CHECK(processors_of_groups(root) == 2);
	/* The path of the host, in a container that sees its root alone. */
	put("/proc/self/cgroup", "0::/elsewhere/docker/0123\n");
	CHECK(processors_of_groups(root) == 0);
	put("/sys/fs/cgroup/cpu.max", "500000 100000");
	CHECK(processors_of_groups(root) == 5);
	put("/proc/self/cgroup", "0::/../../a\n");
	CHECK(processors_of_groups(root) == 5);
	end();
}

static void test_version_1(void)
{
	unsigned limit = LIMIT_OF("12:cpuset:/\n4:cpu,cpuacct:/slurm/job_1\n"
				  "1:name=systemd:/\n0::/\n",
				  "/cpu,cpuacct/slurm/job_1/cpu.cfs_quota_us",
				  "250000\n");

	CHECK(limit == 0);
	put("/sys/fs/cgroup/cpu,cpuacct/slurm/job_1/cpu.cfs_period_us",
	    "100000\n");
	CHECK(processors_of_groups(root) == 3);
	put("/sys/fs/cgroup/cpu,cpuacct/slurm/job_1/cpu.cfs_quota_us", "-1\n");
	CHECK(processors_of_groups(root) == 0);
	/* Another controller's group is no limit of the processor. */
	put("/proc/self/cgroup", "12:cpuset:/slurm/job_1\n3:cpuacct:/slurm\n");
	put("/sys/fs/cgroup/cpu,cpuacct/slurm/job_1/cpu.cfs_quota_us", "1\n");
	CHECK(processors_of_groups(root) == 0);
	end();
}

static void test_odd_files(void)
{
	static const char *const texts[] = {
		"", "\n", ":", "::", "0::", "0:cpu", "4:cpu:", "no colon",
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		CHECK(LIMIT_OF(texts[i], "/x/cpu.max", "100000 100000") == 0);
		end();
	}
	begin();
	CHECK(processors_of_groups(root) == 0);
	end();
}

static void test_count(void)
{
	unsigned n = nc3z_count_processors();

	CHECK(n >= 1 && n <= NC3Z_THREADS_MAX);
	CHECK(n <= processors_count() || n == NC3Z_THREADS_MAX);
}

int main(void)
{
	RUN(test_version_2);
	RUN(test_groups_above);
	RUN(test_version_1);
	RUN(test_odd_files);
	RUN(test_count);
	return check_report();
}
