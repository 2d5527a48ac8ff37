/* SPDX-License-Identifier: MIT */
/*
 * usage: ask [-r PLUGIN] [-m] FILE
 *
 * Asks a file everything through libnetcdf and prints the answers.  -r calls
 * nc3z_netcdf_register() of the plug-in, -m opens the file from memory.
 */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../compat/calls.h"
#include "ask.h"

/* For each variable; the same ones for every file. */
#define NREQUESTS 60
#define SEED 20260101

static int use_plugin(const char *path)
{
	int (*reg)(const char *library) = NULL;
	void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);

	if (handle)
		*(void **)&reg = dlsym(handle, "nc3z_netcdf_register");
	if (reg && reg(NULL) == NC_NOERR)
		return 0;
	printf("the plug-in cannot be used: %s\n", dlerror());
	return 1;
}

static void *read_all(const char *path, size_t *nbytes_ret)
{
	FILE *in = fopen(path, "rb");
	long end = -1;
	void *data;

	if (in && fseek(in, 0, SEEK_END) == 0)
		end = ftell(in);
	data = end < 0 ? NULL : malloc((size_t)end + 1);
	if (!data) {
		puts("cannot be read");
		exit(1);
	}
	rewind(in);
	*nbytes_ret = fread(data, 1, (size_t)end, in);
	fclose(in);
	return data;
}

/* The memory goes to libnetcdf and comes back, or is freed there. */
static int ask_memory(const char *path, bool takes_back)
{
	NC_memio memory = { 0 };
	int ncid, status;

	memory.memory = read_all(path, &memory.size);
	status = nc_open_memio("memory", NC_NOWRITE, &memory, &ncid);
	printf("open_memio %d\n", status);
	if (status != NC_NOERR)
		return 1;
	ask_metadata(ncid);
	memset(&memory, 0, sizeof(memory));
	status = takes_back ? nc_close_memio(ncid, &memory) : nc_close(ncid);
	printf("close %d %d\n", status, memory.memory != NULL);
	free(memory.memory);
	return 0;
}

/* Each way of opening. */
static int ask_from_memory(const char *path)
{
	int status = ask_memory(path, false);

	status |= ask_memory(path, true);
	if (status == 0)
		calls_of_memory(path);
	return status;
}

static int ask_named(const char *path)
{
	int ncid, status = nc_open(path, NC_NOWRITE, &ncid);

	if (status != NC_NOERR) {
		puts("cannot be opened");
		return 0;
	}
	ask_beyond(ncid);
	ask_writers(ncid);
	/* While all is asked, the file is open twice. */
	calls_of_file(path, SEED, NREQUESTS);
	printf("close %d\n", nc_close(ncid));
	return 0;
}

int main(int argc, char **argv)
{
	bool from_memory = false;
	int i = 1;

	if (argc - i > 2 && strcmp(argv[i], "-r") == 0) {
		if (use_plugin(argv[i + 1]) != 0)
			return 1;
		i += 2;
	}
	if (argc - i > 1 && strcmp(argv[i], "-m") == 0) {
		from_memory = true;
		i++;
	}
	if (i != argc - 1) {
		fputs("usage: ask [-r PLUGIN] [-m] FILE\n", stderr);
		return 2;
	}
	return from_memory ? ask_from_memory(argv[i]) : ask_named(argv[i]);
}
