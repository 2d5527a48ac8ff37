/* SPDX-License-Identifier: MIT */
/* The command line of nc3manifest. */
#ifndef NC3Z_TOOLS_MANIFEST_OPTIONS_H
#define NC3Z_TOOLS_MANIFEST_OPTIONS_H

#include "batch/settings_parse.h"

/* How sums are printed. */
enum report_form {
	REPORT_TABLE,
	REPORT_CSV,
	REPORT_JSON,
};

struct manifest_settings {
	struct settings shared;
	bool checks; /* lists */
	bool quick;
	const char *report_by; /* "" for all; NULL: prints no sums */
	enum report_form report_form;
};

/* What the shared ones are in. */
static inline const struct manifest_settings *
manifest_settings(const struct settings *settings)
{
	return (const struct manifest_settings *)settings;
}

extern const struct program_options manifest_options;

#endif
