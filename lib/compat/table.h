/* SPDX-License-Identifier: MIT */
/* The open files by their netCDF IDs, and what to say of them. */
#ifndef NC3Z_COMPAT_TABLE_H
#define NC3Z_COMPAT_TABLE_H

#include "nc3z.h"

/* An open file.  Constant while its ID is valid, but for nc_sync(). */
struct compat_entry {
	struct nc3z_file *file;
	char *path;
	int mode; /* as nc_inq_format_extended() gives it */
};

/*
 * Gives an open file an ID.  NC_NOERR, NC_ENOMEM; NC_ENFILE with a million of
 * files open.  The file and the path belong to the table on success.
 */
int compat_add(const struct compat_entry *entry, int *ncid_ret);

/* NC_EBADID. */
int compat_find(int ncid, struct compat_entry **entry_ret);

/* Takes the file out of the table; what is in it is the caller's again. */
int compat_remove(int ncid, struct compat_entry *entry_ret);

/* The file of an ID, in most calls the only thing that is wanted. */
int compat_file(int ncid, struct nc3z_file **file_ret);

/*
 * The number of netCDF for a status.  With NC3Z_COMPAT_VERBOSE, what the number
 * leaves out of a failure is printed, with the name of the file.
 */
int compat_status(const char *path, int status, const struct nc3z_error *err);

/* Prints why a call fails, with NC3Z_COMPAT_VERBOSE. */
void compat_tell(const char *path, const char *reason);

/* A name as netCDF gives it: at most NC_MAX_NAME bytes.  'to' may be NULL. */
void compat_copy_name(char *to, const char *name);

#endif
