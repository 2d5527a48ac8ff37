/* SPDX-License-Identifier: MIT */
/* --check: the files and originals that manifests list. */
#ifndef NC3Z_TOOLS_MANIFEST_CHECK_H
#define NC3Z_TOOLS_MANIFEST_CHECK_H

#include "batch/settings.h"
#include "common/message.h"

/* Checks all that is in these lists, or in the one from standard input. */
enum exit_status check_run(const struct settings *settings, int nlists,
			   char **lists);

#endif
