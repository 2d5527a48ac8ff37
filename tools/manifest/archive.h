/* SPDX-License-Identifier: MIT */
/* An archive, read from its first byte to the last and not decoded. */
#ifndef NC3Z_TOOLS_MANIFEST_ARCHIVE_H
#define NC3Z_TOOLS_MANIFEST_ARCHIVE_H

#include "batch/action.h"

/*
 * Prints two lines of a manifest: of the archive, and of the file that
 * restoring it makes.
 */
extern const struct batch_action archive_lines_action;

/* Checks every stored byte by its checksum; what is netCDF-4 is decoded. */
extern const struct batch_action archive_quick_action;

/* The same of a source that is open; a status of the library. */
int archive_check_quickly(struct nc3z_source *in,
			  const struct nc3z_restore_options *options,
			  struct nc3z_summary *summary_ret,
			  struct nc3z_error *err);

#endif
