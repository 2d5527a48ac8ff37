/* SPDX-License-Identifier: MIT */
/* Damage in the words of the original: which values it takes. */
#ifndef NC3Z_TOOLS_BATCH_DAMAGE_H
#define NC3Z_TOOLS_BATCH_DAMAGE_H

#include "nc3z.h"

/*
 * Writes the values of the block that an error names, "sst[144, 0, 0] to
 * [149, 179, 359]", into 'text'; false if that cannot be told.  'fd' is the
 * archive, whose position does not matter.
 */
int damage_describe(int fd, const struct nc3z_error *err, char *text,
		    size_t text_nbytes);

#endif
