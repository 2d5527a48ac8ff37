/* SPDX-License-Identifier: MIT */
/* The list that --dry-run prints: what converting archives would cost. */
#ifndef NC3Z_TOOLS_COMPRESS_CONVERSIONS_H
#define NC3Z_TOOLS_COMPRESS_CONVERSIONS_H

#include "compress/settings.h"

void conversions_begin(const struct settings *settings);
void conversions_add(const struct settings *settings,
		     const struct nc3z_conversion *conversion,
		     const char *name);
void conversions_end(const struct settings *settings);

#endif
