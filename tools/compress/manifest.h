/* SPDX-License-Identifier: MIT */
/*
 * Lists of checksums as sha256sum writes and reads them: of archives, and of
 * the originals inside under the names that restoring gives them.
 */
#ifndef NC3Z_TOOLS_COMPRESS_MANIFEST_H
#define NC3Z_TOOLS_COMPRESS_MANIFEST_H

#include "common/message.h"
#include "compress/settings.h"

/* Prints a line of a manifest. */
void manifest_print(const unsigned char sha256[32], const char *name,
		    size_t name_nbytes);

/* Checks everything that the manifest of the settings lists. */
enum exit_status manifest_check(const struct settings *settings);

#endif
