/* What an archive will be converted to: the layout, before anything is read. */
#ifndef NC3Z_CONVERT_TARGET_H
#define NC3Z_CONVERT_TARGET_H

#include "convert/kept_layout.h"
#include "write/tiles_memory.h"

/* Zero-initialised it is empty. */
struct target {
	/*
	 * For nc3z_pack(): those of the caller with chunks and block size
	 * settled.
	 */
	struct nc3z_pack_options options;
	struct kept_layout kept; /* what its chunks point into */
	struct plan plan;
	/* What tiles take while they are written if none is put off. */
	struct tiles_memory tiles;
	uint64_t nblocks; /* that will be written */
};

/*
 * 'options' is what nc3z_convert() was given.  Returns what that returns for
 * options, and NC3Z_ENOMEM.
 */
int target_init(struct target *target, const struct nc3z_file *file,
		const struct nc3z_pack_options *options,
		struct nc3z_error *err);

void target_release(struct target *target);

#endif
