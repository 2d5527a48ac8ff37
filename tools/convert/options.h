/* SPDX-License-Identifier: MIT */
/* The command line of nc3convert. */
#ifndef NC3Z_TOOLS_CONVERT_OPTIONS_H
#define NC3Z_TOOLS_CONVERT_OPTIONS_H

#include "batch/settings_parse.h"

enum convert_target {
	TARGET_AS_IS, /* archives of archives */
	TARGET_NETCDF4,
	TARGET_CLASSIC,
	TARGET_NC3Z,
};

struct convert_settings {
	struct settings shared;
	enum convert_target target;
	bool joins;
};

/* What the shared ones are in. */
static inline struct convert_settings *
convert_settings(struct settings *settings)
{
	return (struct convert_settings *)settings;
}

extern const struct program_options convert_options;

#endif
