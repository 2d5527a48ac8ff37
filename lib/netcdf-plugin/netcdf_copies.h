/* SPDX-License-Identifier: MIT */
/*
 * The copies of libnetcdf in this process, each with a table of functions of
 * its own.
 *
 * A program may well have two: Python packages bring theirs along.  Each counts
 * its open files from the same number, and a function that is called knows no
 * more than that number; so each copy gets functions of its own.
 */
#ifndef NC3Z_NETCDF_PLUGIN_NETCDF_COPIES_H
#define NC3Z_NETCDF_PLUGIN_NETCDF_COPIES_H

#include "netcdf-plugin/dataset.h"

#define COPIES_MAX 4

/*
 * Makes archives a format of the libnetcdf that has a function at 'address',
 * unless they are already.  '*table_ret' is then the table of that copy.
 * Returns a status of netcdf-c: NETCDF_EINVAL where there is no libnetcdf at
 * that address, or it is too old or too new, or has no place for a format left,
 * or is one copy too many.
 */
int copies_register(const void *address, struct netcdf_table **table_ret);

/* The datasets that one copy has open, by its numbers. */
int copies_open_dataset(int copy, int ncid, const char *path, int mode,
			void *parameters);
struct plugin_dataset *copies_dataset(int copy, int ncid);
int copies_close_dataset(int copy, int ncid, struct netcdf_memio *memory_ret);

/* tables.c: the table of a copy, complete but for model and version. */
void table_init(struct netcdf_table *table, int copy);

/* answers.c: what is the same for all files. */
extern const struct netcdf_table answers;
int answer_filter_actions(int ncid, int varid, int action, void *arguments);

#endif
