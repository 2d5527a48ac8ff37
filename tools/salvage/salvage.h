/* SPDX-License-Identifier: MIT */
/* One archive out of damaged inputs, and what is lost. */
#ifndef NC3Z_TOOLS_SALVAGE_SALVAGE_H
#define NC3Z_TOOLS_SALVAGE_SALVAGE_H

#include "batch/merge.h"

enum exit_status salvage_make(struct merge *m);

#endif
