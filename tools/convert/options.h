/* SPDX-License-Identifier: MIT */
/* The command line of nc3convert. */
#ifndef NC3Z_TOOLS_CONVERT_OPTIONS_H
#define NC3Z_TOOLS_CONVERT_OPTIONS_H

#include "batch/settings_parse.h"

extern const struct program_options convert_options;

#endif
