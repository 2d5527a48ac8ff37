/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* dladdr() */
#include "io/remote_load.h"

#include <dlfcn.h>
#include <limits.h>
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

/*
 * Below the directory of the library or where programs have libraries, or, as
 * built, beside the library.
 */
static void *open_beside(void)
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
				 directories[i], NC3Z_REMOTE_LIBRARY);

		if (n > 0 && (size_t)n < sizeof(path))
			handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	}
	return handle;
}

const struct remote_room *remote_load(char *why_not, size_t why_not_nbytes)
{
	const struct remote_room *room;
	void *handle = open_beside();

	if (!handle)
		handle = dlopen(NC3Z_REMOTE_LIBRARY, RTLD_NOW | RTLD_LOCAL);
	if (!handle) {
		snprintf(why_not, why_not_nbytes,
			 "reading URLs needs %s, which cannot be loaded",
			 NC3Z_REMOTE_LIBRARY);
		return NULL;
	}
	room = dlsym(handle, REMOTE_ROOM_SYMBOL);
	if (room && room->version == REMOTE_ROOM_VERSION)
		return room;
	snprintf(why_not, why_not_nbytes,
		 "%s is of another version of the library",
		 NC3Z_REMOTE_LIBRARY);
	return NULL;
}
