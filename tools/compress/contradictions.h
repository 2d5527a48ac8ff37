/* SPDX-License-Identifier: MIT */
/* Options of nc3compress that do not go together. */
#ifndef NC3Z_TOOLS_COMPRESS_CONTRADICTIONS_H
#define NC3Z_TOOLS_COMPRESS_CONTRADICTIONS_H

#include "batch/settings.h"

/* Says what contradicts itself; -1 after a message. */
int contradictions_check(const struct settings *settings, int noperands,
			 char **operands);

#endif
