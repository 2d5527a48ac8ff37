/* SPDX-License-Identifier: MIT */
/* One archive out of damaged inputs, and what is lost. */
#ifndef NC3Z_TOOLS_SALVAGE_SALVAGE_H
#define NC3Z_TOOLS_SALVAGE_SALVAGE_H

#include "common/message.h"
#include "batch/settings.h"

enum exit_status salvage_run(struct settings *settings, int ninputs,
			     char **inputs);

#endif
