/* SPDX-License-Identifier: MIT */
/* The command line of nc3manifest. */
#ifndef NC3Z_TOOLS_MANIFEST_OPTIONS_H
#define NC3Z_TOOLS_MANIFEST_OPTIONS_H

#include "batch/settings_parse.h"

extern const struct program_options manifest_options;

#endif
