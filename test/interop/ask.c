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

#include "ask.h"
#include <netcdf_mem.h>

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
	if (end < 0)
		return NULL;
	rewind(in);
	data = fresh((size_t)end);
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

static int ask_locked_memory(const char *path)
{
	size_t nbytes = 0;
	void *data = read_all(path, &nbytes);
	int ncid,
		status = nc_open_mem("memory", NC_NOWRITE, nbytes, data, &ncid);

	printf("open_mem %d\n", status);
	if (status == NC_NOERR) {
		ask_metadata(ncid);
		printf("close %d\n", nc_close(ncid));
	}
	free(data);
	return status != NC_NOERR;
}

/* Other ways to open a file, and to close it. */
static void ask_modes(const char *path)
{
	static const int modes[] = { NC_NOWRITE, NC_SHARE, NC_DISKLESS,
				     NC_CLASSIC_MODEL };
	size_t hint = 4096;
	int ncid, format = -9, mode, status;

	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		mode = -9;
		status = nc_open(path, modes[i], &ncid);
		printf("open %#x: %d", (unsigned)modes[i], status);
		nc_inq_format_extended(ncid, &format, &mode);
		printf(" %d %#x, close %d\n", format, (unsigned)mode,
		       nc_close(ncid));
	}
	status = nc__open(path, NC_NOWRITE, &hint, &ncid);
	printf("_open: %d, abort %d\n", status, nc_abort(ncid));
}

static int ask_file(const char *path)
{
	int ncid, other, status = nc_open(path, NC_NOWRITE, &ncid);

	if (status != NC_NOERR) {
		puts("cannot be opened");
		return 0;
	}
	/* A second time, closed in between. */
	status = nc_open(path, NC_NOWRITE, &other);
	printf("open again %d\n", status);
	ask_metadata(ncid);
	ask_writers(ncid);
	printf("close %d\n", nc_close(other));
	ask_values(ncid);
	printf("close %d\n", nc_close(ncid));
	ask_modes(path);
	return 0;
}

int main(int argc, char **argv)
{
	bool from_memory = false;
	int i = 1, status;

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
	if (!from_memory)
		return ask_file(argv[i]);
	status = ask_memory(argv[i], false);
	status |= ask_memory(argv[i], true);
	return status | ask_locked_memory(argv[i]);
}
