/* Names of files as programs give them. */
#ifndef NC3Z_NETCDF_PLUGIN_NAMES_H
#define NC3Z_NETCDF_PLUGIN_NAMES_H

#include <stdbool.h>

/* Whether there is an archive, by its first bytes. */
bool name_is_archive(const char *path);

/*
 * The path in nc3z:///path, and in a name with any other scheme if an archive
 * is there; as a copy.  NULL for all other names.
 */
char *name_path(const char *name);

#endif
