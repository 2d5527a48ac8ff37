/* SPDX-License-Identifier: MIT */
/* The symbols that the plug-in exports. */
#ifndef NC3Z_NETCDF_PLUGIN_HOOKS_H
#define NC3Z_NETCDF_PLUGIN_HOOKS_H

#include "netcdf-plugin/netcdf_c.h"
#include "nc3z.h"

/*
 * Teaches a libnetcdf to read archives: the one in the file 'library', or, if
 * that is NULL, the one that the program is linked with.  0, or a status of
 * netcdf-c if that is not possible.  Not for two threads at once with other
 * calls of that libnetcdf.
 */
NC3Z_API int nc3z_netcdf_register(const char *library);

/*
 * For programs that have registered it, and that libnetcdf would take to a
 * server or to no file: a path that stands for a URL or an archive in a tar,
 * for calls of nc_open() by this thread until nc3z_netcdf_done().  NULL for all
 * other names, which nc_open() takes as they are, and if out of memory.
 */
NC3Z_API char *nc3z_netcdf_path(const char *name);

/* Frees the path.  NULL is allowed. */
NC3Z_API void nc3z_netcdf_done(char *path);

/*
 * The same as nc3z_netcdf_register() for the libnetcdf that calls it, as .ncrc
 * says; the table of our functions, NULL if that is not possible.
 */
NC3Z_API struct netcdf_table *nc3z_netcdf_init(void);

/* Those of libnetcdf, on the way there. */
NC3Z_API int nc_open(const char *name, int mode, int *ncid);
NC3Z_API int nc__open(const char *name, int mode, size_t *hint, int *ncid);
NC3Z_API int nc_initialize(void);
NC3Z_API int nc_create(const char *name, int mode, int *ncid);
NC3Z_API int nc__create(const char *name, int mode, size_t nbytes, size_t *hint,
			int *ncid);

/* That of CDI. */
NC3Z_API int cdiGetFiletype(const char *name, int *byteorder);

#endif
