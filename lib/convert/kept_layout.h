/* SPDX-License-Identifier: MIT */
/*
 * The options with which packing gives an archive's layout again: its chunks as
 * chunk lengths, and its block size as far as that can be told from the plan.
 */
#ifndef NC3Z_CONVERT_KEPT_LAYOUT_H
#define NC3Z_CONVERT_KEPT_LAYOUT_H

#include "read/file.h"

/* Zero-initialised it is empty. */
struct kept_layout {
	char **chunks; /* as in struct nc3z_pack_options */
	size_t nchunks;
	size_t capacity;
};

/*
 * Appends the chunk lengths of all chunked variables.  NC3Z_OK, NC3Z_ENOMEM;
 * NC3Z_EINVAL for a variable that cannot be named.
 */
int kept_layout_init(struct kept_layout *kept, const struct nc3z_file *file,
		     struct nc3z_error *err);

void kept_layout_release(struct kept_layout *kept);

#endif
