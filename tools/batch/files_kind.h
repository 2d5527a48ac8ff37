/* SPDX-License-Identifier: MIT */
/* Which files in a directory are inputs. */
#ifndef NC3Z_TOOLS_BATCH_FILES_KIND_H
#define NC3Z_TOOLS_BATCH_FILES_KIND_H

#include <sys/stat.h>

#include "batch/settings.h"

/* By the name: archives for restoring, others for packing, all for reports. */
bool files_is_input(const struct settings *s, const char *path);

/*
 * Whether both an archive and the original that it holds would become the same
 * output: they lie side by side, with the same time and size.
 */
bool files_has_original(const struct settings *s, const char *path,
			const struct stat *archive);

#endif
