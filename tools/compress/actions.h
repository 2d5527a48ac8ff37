/* SPDX-License-Identifier: MIT */
/* What nc3compress does with a file. */
#ifndef NC3Z_TOOLS_COMPRESS_ACTIONS_H
#define NC3Z_TOOLS_COMPRESS_ACTIONS_H

#include "batch/settings.h"

/* Sets the action that the settings ask for. */
void actions_choose(struct settings *settings);

#endif
