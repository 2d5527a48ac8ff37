/* SPDX-License-Identifier: MIT */
/* What --dry-run prints. */
#ifndef NC3Z_TOOLS_COMPRESS_ESTIMATES_H
#define NC3Z_TOOLS_COMPRESS_ESTIMATES_H

#include "batch/settings.h"
#include "nc3z_tools.h"

/* Any thread may call this. */
void estimates_add(const struct settings *settings,
		   const struct nc3z_estimate *estimate, const char *name);

/* The sum, and how long so many threads are likely to take. */
void estimates_end(const struct settings *settings, unsigned nthreads);

#endif
