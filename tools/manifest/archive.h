/* SPDX-License-Identifier: MIT */
/* An archive, read from its first byte to the last and not decoded. */
#ifndef NC3Z_TOOLS_MANIFEST_ARCHIVE_H
#define NC3Z_TOOLS_MANIFEST_ARCHIVE_H

#include "batch/job.h"

/*
 * Prints two lines of a manifest: of the archive, and of the file that
 * restoring it makes.
 */
enum exit_status archive_write_lines(struct job *job);

/* Checks every stored byte by its checksum. */
enum exit_status archive_check_quickly(struct job *job);

#endif
