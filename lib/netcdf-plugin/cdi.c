/* SPDX-License-Identifier: MIT */
/*
 * CDO's own look at a file.  Its library CDI tells kinds of files by their
 * first bytes, takes names with a scheme for CDF-1 unseen, and makes output of
 * the kind of the input.  Where CDI is a shared library, this says what the
 * original is; elsewhere CDF-1 it is.
 */
#define _GNU_SOURCE /* RTLD_NEXT */
#include <dlfcn.h>
#include <stddef.h>
#include <stdlib.h>

#include "netcdf-plugin/dataset.h"
#include "netcdf-plugin/hooks.h"
#include "netcdf-plugin/names.h"

/* Kinds of files in CDI. */
enum cdi_filetype {
	CDI_UNDEFINED = -1,
	CDI_NC = 3,
	CDI_NC2 = 4,
	CDI_NC5 = 7,
};

typedef int filetype_fn(const char *name, int *byteorder);

/* One that cannot be read is left to libnetcdf, which says so. */
static int kind_of_archive(const char *path)
{
	struct plugin_dataset *dataset;
	int format;

	if (dataset_open(path, 0, NULL, &dataset) != NETCDF_NOERR)
		return CDI_NC;
	dataset_inq_format(dataset, &format);
	dataset_close(dataset, NULL);
	return format == NETCDF_FORMAT_CDF5         ? CDI_NC5 :
	       format == NETCDF_FORMAT_64BIT_OFFSET ? CDI_NC2 :
						      CDI_NC;
}

NC3Z_API int cdiGetFiletype(const char *name, int *byteorder)
{
	char *path = name_path(name);
	filetype_fn *theirs;
	int kind;

	*(void **)&theirs = dlsym(RTLD_NEXT, "cdiGetFiletype");
	if (name && name_is_archive(path ? path : name))
		kind = kind_of_archive(path ? path : name);
	else
		kind = theirs ? theirs(name, byteorder) : CDI_UNDEFINED;
	name_done(path);
	return kind;
}
