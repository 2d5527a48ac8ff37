/* SPDX-License-Identifier: MIT */
/* The command line of nc3salvage, and what it does. */
#ifndef NC3Z_TOOLS_SALVAGE_OPTIONS_H
#define NC3Z_TOOLS_SALVAGE_OPTIONS_H

#include "batch/merge.h"
#include "batch/settings_parse.h"

struct salvage_settings {
	struct settings shared;
	unsigned archive; /* 0: the largest */
};

/* What the shared ones are in. */
static inline const struct salvage_settings *
salvage_settings(const struct settings *settings)
{
	return (const struct salvage_settings *)settings;
}

extern const struct program_options salvage_options;

/* salvage.c, for merge_run(): one archive out of damaged files, and losses. */
enum exit_status salvage_make(struct merge *m);

#endif
