/* SPDX-License-Identifier: MIT */
/* The command line of nc3compress. */
#ifndef NC3Z_TOOLS_COMPRESS_OPTIONS_H
#define NC3Z_TOOLS_COMPRESS_OPTIONS_H

#include "batch/settings_parse.h"
#include "nc3z_tools.h"

enum compress_mode {
	COMPRESS_PACK,
	COMPRESS_RESTORE,
	COMPRESS_TEST,
	COMPRESS_LIST,
};

struct compress_settings {
	struct settings shared;
	enum compress_mode mode;
	bool dry_run;
	bool is_part; /* packs only this part: */
	unsigned part_number;
	unsigned part_count;
};

/* What the shared ones are in. */
static inline const struct compress_settings *
compress_settings(const struct settings *settings)
{
	return (const struct compress_settings *)settings;
}

extern const struct program_options compress_options;

#endif
