/* SPDX-License-Identifier: MIT */
/* The command line of nc3compress. */
#ifndef NC3Z_TOOLS_COMPRESS_OPTIONS_H
#define NC3Z_TOOLS_COMPRESS_OPTIONS_H

#include "batch/settings_parse.h"

extern const struct program_options compress_options;

#endif
