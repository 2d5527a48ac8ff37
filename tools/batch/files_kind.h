/* SPDX-License-Identifier: MIT */
/* Which files in a directory are inputs. */
#ifndef NC3Z_TOOLS_BATCH_FILES_KIND_H
#define NC3Z_TOOLS_BATCH_FILES_KIND_H

#include <sys/stat.h>

#include "batch/settings.h"

/* Of a file that was overwritten, or named, as if it were an archive. */
#define FILES_MISNAMED \
	"a classic file with the name of an archive: rename it to pack it"

/* Whether a file begins as classic ones do; that of the descriptor -1 no. */
bool files_is_classic(int fd);

/* By the name: archives for restoring, others for packing, all for reports. */
bool files_is_input(const struct settings *s, const char *path);

/*
 * Whether both an archive and the original that it holds would become the same
 * output: they lie side by side, with the same time and size.
 */
bool files_has_original(const struct settings *s, const char *path,
			const struct stat *archive);

#endif
