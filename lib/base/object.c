/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* dladdr() */
#include "base/object.h"

#include <dlfcn.h>
#include <limits.h>
#ifdef __ELF__
#include <link.h>
#endif
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* An address of this code. */
static const char here;

/*
 * Where this code is: in a library, or in a program.  A program that was found
 * by PATH has no more than its name there.
 */
static bool find_own_path(char *path, size_t path_nbytes)
{
	Dl_info info;
	ssize_t n;

	if (!dladdr(&here, &info) || !info.dli_fname)
		return false;
	if (strchr(info.dli_fname, '/')) {
		n = snprintf(path, path_nbytes, "%s", info.dli_fname);
		return n > 0 && (size_t)n < path_nbytes;
	}
	n = readlink("/proc/self/exe", path, path_nbytes - 1);
	if (n <= 0)
		return false;
	path[n] = '\0';
	return strchr(path, '/') != NULL;
}

/* A statically linked program crashes in what it loads: it has another libc. */
#ifdef __ELF__
/* Of the first object, which is the program. */
static int find_interpreter(struct dl_phdr_info *info, size_t nbytes, void *has)
{
	(void)nbytes;
	for (size_t i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_INTERP)
			*(bool *)has = true;
	return 1;
}

static bool can_load(void)
{
	bool has_interpreter = false;

	dl_iterate_phdr(find_interpreter, &has_interpreter);
	return has_interpreter;
}
#else
static bool can_load(void)
{
	return true;
}
#endif

static void *open_beside(const char *name)
{
	static const char *const directories[] = {
		"nc3z/", NC3Z_LIBDIR_FROM_BINDIR "/nc3z/", "../lib/nc3z/", "",
		"../lib/"
	};
	const size_t n_directories =
		sizeof(directories) / sizeof(directories[0]);
	char own[PATH_MAX], path[PATH_MAX];
	void *handle = NULL;
	int length;

	if (!find_own_path(own, sizeof(own)))
		return NULL;
	length = (int)(strrchr(own, '/') - own) + 1;
	for (size_t i = 0; !handle && i < n_directories; i++) {
		int n = snprintf(path, sizeof(path), "%.*s%s%s", length, own,
				 directories[i], name);

		if (n > 0 && (size_t)n < sizeof(path))
			handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	}
	return handle;
}

void *object_load(const char *name)
{
	void *handle;

	if (!can_load())
		return NULL;
	handle = open_beside(name);
	return handle ? handle : dlopen(name, RTLD_NOW | RTLD_LOCAL);
}

const void *object_table(void *object, const char *name)
{
	return dlsym(object, name);
}
