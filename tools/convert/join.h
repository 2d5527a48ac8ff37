/* SPDX-License-Identifier: MIT */
/* --join: the parts of a file, packed with --part, into one archive. */
#ifndef NC3Z_TOOLS_CONVERT_JOIN_H
#define NC3Z_TOOLS_CONVERT_JOIN_H

#include "batch/settings.h"
#include "common/message.h"

enum exit_status join_run(const struct settings *settings, int ninputs,
			  char **inputs);

#endif
