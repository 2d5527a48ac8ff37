/* SPDX-License-Identifier: MIT */
/* Names of files as programs give them. */
#ifndef NC3Z_NETCDF_PLUGIN_NAMES_H
#define NC3Z_NETCDF_PLUGIN_NAMES_H

#include <stdbool.h>

/* The magic number of archives, of 8 bytes, none of them NUL. */
#define ARCHIVE_MAGIC "\x89NC3Z\r\n\x1a"

/* Whether there is an archive, by its first bytes. */
bool name_is_archive(const char *path);

/*
 * Whether a name is a URL that is read here: http://, https:// or s3://, with a
 * host, and with a path that ends in ".nc3z".
 */
bool name_is_url(const char *name);

/* Whether it is that of an archive in a tar, and not of a file. */
bool name_is_member(const char *name);

/*
 * The path in nc3z:///path, and in a name with any other scheme if an archive
 * is there; for a URL or an archive in a tar a path that stands for it until
 * name_done(), in this thread.  NULL for all other names.
 */
char *name_path(const char *name);

/*
 * The name of an archive, or one of NCO's for it, that a program creates; from
 * malloc().  NULL for all other names.
 */
char *name_of_output(const char *name);

/* Frees what name_path() gave; NULL is allowed. */
void name_done(char *path);

/* The URL or member for which a path stands; NULL: it is one. */
const char *name_pending_url(const char *path);

#endif
