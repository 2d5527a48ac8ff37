/* SPDX-License-Identifier: MIT */
/*
 * usage: two_copies PLUGIN LIBNETCDF LIBNETCDF FILE FILE
 *
 * Two copies of libnetcdf in one process, each with a file open, under the same
 * number.  Prints the number of variables that each says its file has.
 */
#include <dlfcn.h>
#include <stdio.h>

struct library {
	int (*open)(const char *path, int mode, int *ncid);
	int (*inq_nvars)(int ncid, int *nvars);
	int (*close)(int ncid);
	int ncid;
};

static int load(const char *path, int (*reg)(const char *path),
		struct library *library)
{
	void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);

	if (!handle || reg(path) != 0) {
		printf("cannot use %s: %s\n", path, dlerror());
		return 1;
	}
	*(void **)&library->open = dlsym(handle, "nc_open");
	*(void **)&library->inq_nvars = dlsym(handle, "nc_inq_nvars");
	*(void **)&library->close = dlsym(handle, "nc_close");
	return 0;
}

static int report(struct library *library)
{
	int nvars = -1;
	int status = library->inq_nvars(library->ncid, &nvars);

	printf("ncid %d: %d, %d variables\n", library->ncid, status, nvars);
	return library->close(library->ncid);
}

int main(int argc, char **argv)
{
	struct library first, second;
	int (*reg)(const char *path) = NULL;
	void *plugin;

	if (argc != 6) {
		fputs("usage: two_copies PLUGIN LIBRARY LIBRARY FILE FILE\n",
		      stderr);
		return 2;
	}
	plugin = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
	if (plugin)
		*(void **)&reg = dlsym(plugin, "nc3z_netcdf_register");
	if (!reg || load(argv[2], reg, &first) || load(argv[3], reg, &second))
		return 1;
	if (first.open(argv[4], 0, &first.ncid) != 0 ||
	    second.open(argv[5], 0, &second.ncid) != 0) {
		puts("cannot open a file");
		return 1;
	}
	return report(&first) | report(&second);
}
