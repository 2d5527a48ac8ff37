/* SPDX-License-Identifier: MIT */
/*
 * Decompressors of whole files (gzip, bzip2, zstd, xz) with one interface.
 * Each verifies the checks of its format and goes on with the next member
 * where files have several.
 */
#ifndef NC3Z_IO_UNPACKER_H
#define NC3Z_IO_UNPACKER_H

#include <stdbool.h>

#include "base/status.h"

/* From where to where; a step moves the pointers and lowers the lengths. */
struct unpacker_buffers {
	const uint8_t *in;
	size_t in_nbytes;
	uint8_t *out;
	size_t out_nbytes;
};

struct unpacker_ops {
	const char *name;
	/* NULL if out of memory. */
	void *(*open)(void);
	/*
	 * Does what can be done with both buffers.  '*at_end_ret': a member
	 * has ended here.  NC3Z_OK, NC3Z_EDAMAGED, NC3Z_ENOMEM, NC3Z_ELIMIT.
	 */
	int (*step)(void *state, struct unpacker_buffers *b, bool *at_end_ret,
		    struct nc3z_error *err);
	void (*close)(void *state);
};

/* The decompressor for a file that begins so, NULL if there is none. */
const struct unpacker_ops *unpacker_for(const uint8_t *data, size_t nbytes);

#endif
