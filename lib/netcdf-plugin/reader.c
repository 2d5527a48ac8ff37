/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* dladdr() */
#include "netcdf-plugin/reader.h"

#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

struct plugin_reader reader;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool is_loaded;

/*
 * The library above the directory of this object, where it is installed, or
 * beside it, where it is built, or else where the system looks for it.
 */
static void *open_library(void)
{
	static const char *const directories[] = { "../", "" };
	char path[PATH_MAX];
	const char *slash;
	void *handle = NULL;
	Dl_info info;

	if (!dladdr(&reader, &info) || !info.dli_fname)
		info.dli_fname = "";
	slash = strrchr(info.dli_fname, '/');
	for (size_t i = 0; slash && !handle && i < 2; i++) {
		int n = snprintf(path, sizeof(path), "%.*s%s%s",
				 (int)(slash - info.dli_fname) + 1,
				 info.dli_fname, directories[i], NC3Z_LIBRARY);

		if (n > 0 && (size_t)n < sizeof(path))
			handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	}
	return handle ? handle : dlopen(NC3Z_LIBRARY, RTLD_NOW | RTLD_LOCAL);
}

static void load_reader(void)
{
	void *handle = open_library();

	is_loaded = handle != NULL;
#define READER_FIND(name) \
	if (is_loaded) { \
		*(void **)&reader.name = dlsym(handle, "nc3z_" #name); \
		is_loaded = reader.name != NULL; \
	}
	READER_FUNCTIONS(READER_FIND)
#undef READER_FIND
	if (!is_loaded)
		fprintf(stderr, "nc3z: cannot load the library: %s\n",
			dlerror());
}

bool reader_load(void)
{
	pthread_once(&once, load_reader);
	return is_loaded;
}
