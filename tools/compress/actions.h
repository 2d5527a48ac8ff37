/* SPDX-License-Identifier: MIT */
/* What nc3compress does with a file. */
#ifndef NC3Z_TOOLS_COMPRESS_ACTIONS_H
#define NC3Z_TOOLS_COMPRESS_ACTIONS_H

#include "batch/batch.h"

/* The action that the settings ask for. */
struct batch_action actions_choose(const struct settings *settings);

#endif
