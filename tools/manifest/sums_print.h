/* SPDX-License-Identifier: MIT */
/* The forms in which sums are printed. */
#ifndef NC3Z_TOOLS_MANIFEST_SUMS_PRINT_H
#define NC3Z_TOOLS_MANIFEST_SUMS_PRINT_H

#include <stddef.h>
#include <stdint.h>

#include "manifest/options.h"

enum sum {
	SUM_ARCHIVES,
	SUM_ORIGINAL_BYTES,
	SUM_ARCHIVE_BYTES,
	SUM_FAILED,
	SUM_LEFT,
	SUM_LEFT_BYTES,
	SUM_END,
};

struct sums_group {
	char *name; /* "": where nothing is grouped; NULL: of all groups */
	uint64_t sums[SUM_END];
};

void sums_print(enum report_form form, const struct sums_group *groups,
		size_t ngroups, const struct sums_group *total);

#endif
