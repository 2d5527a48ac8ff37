/* SPDX-License-Identifier: MIT */
/* All files of a command line. */
#ifndef NC3Z_TOOLS_COMPRESS_BATCH_H
#define NC3Z_TOOLS_COMPRESS_BATCH_H

#include "compress/files.h"

/*
 * Deals with every file, many small ones side by side, and returns the most
 * serious exit status, that of collecting the names included.
 */
enum exit_status batch_run(const struct settings *settings,
			   const struct file_names *names,
			   enum exit_status status);

#endif
