/* SPDX-License-Identifier: MIT */
/*
 * How libnetcdf gets to know of archives: three ways.
 *
 * 1. Preloaded (LD_PRELOAD), this object stands before libnetcdf in the search
 *    for names: programs that open a file call our nc_open() or nc__open(), and
 *    libnetcdf itself, where it starts, our nc_initialize().  These register
 *    archives with the copy of libnetcdf that the caller would have reached and
 *    then go there.  So names like nc3z:///data/x.nc.nc3z can be understood,
 *    too, which pass programs that look at a file before libnetcdf does.  Our
 *    nc_create() and nc__create() keep archives from being overwritten.
 * 2. netcdf-c 4.10 and later calls nc3z_netcdf_init(), as ~/.ncrc says.
 * 3. A program calls nc3z_netcdf_register().
 */
#define _GNU_SOURCE /* dladdr(), RTLD_NEXT */
#include "netcdf-plugin/hooks.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "netcdf-plugin/dataset.h"
#include "netcdf-plugin/netcdf_copies.h"
#include "netcdf-plugin/names.h"

#define CALLER() __builtin_return_address(0)

typedef int initialize_fn(void);
typedef int open_fn(const char *path, int mode, int *ncid);
typedef int open_hint_fn(const char *path, int mode, size_t *hint, int *ncid);
typedef int create_fn(const char *path, int mode, int *ncid);
typedef int create_hint_fn(const char *path, int mode, size_t nbytes,
			   size_t *hint, int *ncid);

/* Whether a function lies in this object. */
static bool is_ours(const void *address)
{
	Dl_info there, here;

	return dladdr(address, &there) && dladdr(ARCHIVE_MAGIC, &here) &&
	       there.dli_fbase == here.dli_fbase;
}

/* The function of libnetcdf that the caller meant; NULL if there is none. */
static void *find_meant(const void *caller, const char *name)
{
	void *handle = NULL, *meant = NULL;
	Dl_info info;

	/* The library that the caller was linked with comes first. */
	if (dladdr(caller, &info) && info.dli_fname)
		handle = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
	if (handle) {
		meant = dlsym(handle, name);
		dlclose(handle);
	}
	if (!meant || is_ours(meant))
		meant = dlsym(RTLD_NEXT, name);
	return meant;
}

static int register_at(const void *address)
{
	struct netcdf_table *table;

	return copies_register(address, &table);
}

/* Says why an archive will not be readable. */
static void explain(const char *path)
{
	if (path && name_is_archive(path))
		fprintf(stderr,
			"nc3z: %s: this libnetcdf cannot be made to read "
			"archives (needs netcdf-c 4.7.1 or later, built with "
			"netCDF-4)\n",
			path);
}

/* Registers; the path that a name stands for, NULL if it is the name itself. */
static char *prepare(const char *name, const void *meant)
{
	char *path = name_path(name);

	if (register_at(meant) != NETCDF_NOERR)
		explain(path ? path : name);
	return path;
}

NC3Z_API int nc_open(const char *name, int mode, int *ncid)
{
	open_fn *meant;
	char *path;
	int status;

	*(void **)&meant = find_meant(CALLER(), "nc_open");
	if (!meant)
		return NETCDF_ENOTNC;
	path = prepare(name, *(void **)&meant);
	status = meant(path ? path : name, mode, ncid);
	if (status == NETCDF_ENOTNC)
		dataset_explain(path ? path : name);
	name_done(path);
	return status;
}

NC3Z_API int nc__open(const char *name, int mode, size_t *hint, int *ncid)
{
	open_hint_fn *meant;
	char *path;
	int status;

	*(void **)&meant = find_meant(CALLER(), "nc__open");
	if (!meant)
		return NETCDF_ENOTNC;
	path = prepare(name, *(void **)&meant);
	status = meant(path ? path : name, mode, hint, ncid);
	if (status == NETCDF_ENOTNC)
		dataset_explain(path ? path : name);
	name_done(path);
	return status;
}

/*
 * libnetcdf writes classic and netCDF-4 files only.  One in place of an archive
 * would destroy it, one with its name deceive.
 */
static bool may_create(const char *name)
{
	static atomic_bool has_warned;
	char *path = name_path(name);
	char *target = name ? name_of_output(path ? path : name) : NULL;
	bool is_archive = target && name_is_archive(target);

	if (is_archive)
		fprintf(stderr,
			"nc3z: %s: is an archive, which programs do "
			"not write: choose another name for the "
			"output\n",
			target);
	else if (target && !atomic_exchange(&has_warned, true))
		fprintf(stderr,
			"nc3z: warning: %s: becomes a netCDF file, not "
			"an archive: name it .nc, and pack it with "
			"nc3compress\n",
			target);
	free(target);
	name_done(path);
	return !is_archive;
}

NC3Z_API int nc_create(const char *name, int mode, int *ncid)
{
	create_fn *meant;

	*(void **)&meant = find_meant(CALLER(), "nc_create");
	if (!meant || !may_create(name))
		return NETCDF_EPERM;
	return meant(name, mode, ncid);
}

NC3Z_API int nc__create(const char *name, int mode, size_t nbytes, size_t *hint,
			int *ncid)
{
	create_hint_fn *meant;

	*(void **)&meant = find_meant(CALLER(), "nc__create");
	if (!meant || !may_create(name))
		return NETCDF_EPERM;
	return meant(name, mode, nbytes, hint, ncid);
}

NC3Z_API int nc_initialize(void)
{
	initialize_fn *meant;

	*(void **)&meant = find_meant(CALLER(), "nc_initialize");
	if (!meant)
		return NETCDF_EINVAL;
	register_at(*(void **)&meant);
	return meant();
}

NC3Z_API struct netcdf_table *nc3z_netcdf_init(void)
{
	struct netcdf_table *table = NULL;

	copies_register(CALLER(), &table);
	return table;
}

NC3Z_API int nc3z_netcdf_register(const char *library)
{
	void *handle, *address = NULL;
	int status = NETCDF_EINVAL;

	handle = dlopen(library, RTLD_LAZY);
	if (!handle)
		return NETCDF_EINVAL;
	address = dlsym(handle, "nc_inq_libvers");
	if (address)
		status = register_at(address);
	dlclose(handle);
	return status;
}

NC3Z_API char *nc3z_netcdf_path(const char *name)
{
	return name_path(name);
}

NC3Z_API void nc3z_netcdf_done(char *path)
{
	name_done(path);
}
