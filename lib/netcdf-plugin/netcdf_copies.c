/* SPDX-License-Identifier: MIT */
/*
 * Registering with a copy of libnetcdf.
 *
 * The copy is found by the address of one of its functions, and its own
 * functions are looked up in it alone.  It is kept in memory from then on, as
 * it has pointers to us and we know it by where it lies.
 */
#define _GNU_SOURCE /* dladdr() */
#include "netcdf-plugin/netcdf_copies.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "netcdf-plugin/names.h"

/* libnetcdf numbers open files by the upper half of an ncid. */
#define NCID_SHIFT 16
#define NDATASETS 65536

struct copy {
	const void *base; /* where it lies in memory */
	struct netcdf_table table;
	normalize_fn *normalize;
	_Atomic(struct plugin_dataset *) datasets[NDATASETS];
};

/* Guarded by the lock, but for datasets, which are the owner's of an ncid. */
static struct copy copies[COPIES_MAX];
static int ncopies;
static pthread_mutex_t copies_lock = PTHREAD_MUTEX_INITIALIZER;

/* The functions of libnetcdf that the plug-in calls. */
struct library {
	const char *(*inq_libvers)(void);
	int (*def_user_format)(int slot, struct netcdf_table *table,
			       char *magic);
	int (*inq_user_format)(int slot, struct netcdf_table **table_ret,
			       char *magic_ret);
};

/* Where a format can be put: two places, and more from 4.10 on. */
static const struct {
	int mode;
	int model;
} slots[] = {
	{ NETCDF_UDF0, NETCDF_FORMATX_UDF0 },
	{ NETCDF_UDF1, NETCDF_FORMATX_UDF1 },
	{ 0x10000, NETCDF_FORMATX_UDF2 },
	{ 0x80000, NETCDF_FORMATX_UDF2 + 1 },
	{ 0x100000, NETCDF_FORMATX_UDF2 + 2 },
	{ 0x200000, NETCDF_FORMATX_UDF2 + 3 },
	{ 0x400000, NETCDF_FORMATX_UDF2 + 4 },
	{ 0x800000, NETCDF_FORMATX_UDF2 + 5 },
	{ 0x1000000, NETCDF_FORMATX_UDF2 + 6 },
	{ 0x2000000, NETCDF_FORMATX_UDF2 + 7 },
};

/*
 * Looks up a function; POSIX gives pointers to functions and to objects the
 * same representation, C does not.
 */
static void find_function(void *handle, const char *name, void *function_ret)
{
	*(void **)function_ret = dlsym(handle, name);
}

/* Whether a table of ours means to this version what it means to us. */
static int is_known_version(const struct library *library)
{
	int major = 0, minor = 0, patch = 0;

	if (sscanf(library->inq_libvers(), "%d.%d.%d", &major, &minor, &patch) <
	    2)
		return 0;
	/* Before 4.7.1 open() was called otherwise, and nothing checked. */
	return major > 4 ||
	       (major == 4 && (minor > 7 || (minor == 7 && patch >= 1)));
}

static int register_in_slot(const struct library *library,
			    struct netcdf_table *table, int slot)
{
	static char magic[] = ARCHIVE_MAGIC;
	int version = NETCDF_TABLE_VERSION_MAX;
	int status = NETCDF_EINVAL;

	while (status != NETCDF_NOERR && version >= NETCDF_TABLE_VERSION_MIN) {
		table->dispatch_version = version;
		if (version == 2)
			table->filters.filter_actions = answer_filter_actions;
		status = library->def_user_format(slot, table, magic);
		version--;
	}
	return status;
}

static int register_table(const struct library *library,
			  struct netcdf_table *table)
{
	size_t nslots = sizeof(slots) / sizeof(slots[0]);

	for (size_t i = 0; i < nslots; i++) {
		struct netcdf_table *taken = NULL;

		if (library->inq_user_format(slots[i].mode, &taken, NULL) !=
		    NETCDF_NOERR)
			break;
		if (taken)
			continue;
		table->model = slots[i].model;
		return register_in_slot(library, table, slots[i].mode);
	}
	return NETCDF_EINVAL;
}

static int add_copy(const Dl_info *info)
{
	struct copy *copy = &copies[ncopies];
	struct library library;
	int status = NETCDF_EINVAL;
	void *handle;

	if (ncopies == COPIES_MAX)
		return NETCDF_EINVAL;
	handle = dlopen(info->dli_fname,
			RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
	if (!handle)
		return NETCDF_EINVAL;
	find_function(handle, "nc_inq_libvers", &library.inq_libvers);
	find_function(handle, "nc_def_user_format", &library.def_user_format);
	find_function(handle, "nc_inq_user_format", &library.inq_user_format);
	find_function(handle, "nc_utf8_normalize", &copy->normalize);
	table_init(&copy->table, ncopies);
	if (library.inq_libvers && library.def_user_format &&
	    library.inq_user_format && is_known_version(&library))
		status = register_table(&library, &copy->table);
	if (status == NETCDF_NOERR) {
		copy->base = info->dli_fbase;
		ncopies++;
	}
	dlclose(handle);
	return status;
}

int copies_register(const void *address, struct netcdf_table **table_ret)
{
	int status = NETCDF_NOERR, i = 0;
	Dl_info info;

	if (!dladdr(address, &info) || !info.dli_fname)
		return NETCDF_EINVAL;
	pthread_mutex_lock(&copies_lock);
	while (i < ncopies && copies[i].base != info.dli_fbase)
		i++;
	if (i == ncopies)
		status = add_copy(&info);
	pthread_mutex_unlock(&copies_lock);
	if (status == NETCDF_NOERR)
		*table_ret = &copies[i].table;
	return status;
}

static _Atomic(struct plugin_dataset *) *place_of(int copy, int ncid)
{
	return &copies[copy].datasets[(unsigned)ncid >> NCID_SHIFT];
}

int copies_open_dataset(int copy, int ncid, const char *path, int mode,
			void *parameters)
{
	struct plugin_dataset *dataset = NULL;
	int status = dataset_open(path, mode,
				  mode & NETCDF_INMEMORY ? parameters : NULL,
				  &dataset);

	if (status != NETCDF_NOERR)
		return status;
	dataset->normalize = copies[copy].normalize;
	atomic_store(place_of(copy, ncid), dataset);
	return NETCDF_NOERR;
}

struct plugin_dataset *copies_dataset(int copy, int ncid)
{
	return atomic_load(place_of(copy, ncid));
}

int copies_close_dataset(int copy, int ncid, struct netcdf_memio *memory_ret)
{
	dataset_close(atomic_exchange(place_of(copy, ncid), NULL), memory_ret);
	return NETCDF_NOERR;
}
