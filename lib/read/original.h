/* SPDX-License-Identifier: MIT */
/* The bytes of the original, from wherever they are. */
#ifndef NC3Z_READ_ORIGINAL_H
#define NC3Z_READ_ORIGINAL_H

#include "read/file.h"

/* Reads the first bytes of it into a buffer that grows as they come in. */
int original_read_head(struct nc3z_file *file, size_t nbytes,
		       struct buffer *head, struct nc3z_error *err);

#endif
