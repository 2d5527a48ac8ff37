/* SPDX-License-Identifier: MIT */
/* --salvage: one archive out of damaged inputs, and what is lost. */
#ifndef NC3Z_TOOLS_COMPRESS_SALVAGE_H
#define NC3Z_TOOLS_COMPRESS_SALVAGE_H

#include "common/message.h"
#include "compress/settings.h"

enum exit_status salvage_run(const struct settings *settings, int ninputs,
			     char **inputs);

#endif
