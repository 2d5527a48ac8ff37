/* SPDX-License-Identifier: MIT */
/* The layout that an archive will be converted to, before anything is read. */
#ifndef NC3Z_CONVERT_TARGET_H
#define NC3Z_CONVERT_TARGET_H

#include "convert/kept_layout.h"
#include "write/chunks_memory.h"
#include "write/pack_settings.h"

/* Zero-initialised it is empty. */
struct convert_target {
	/* The caller's options with chunks and block length settled. */
	struct pack_settings settings;
	struct kept_layout kept; /* what its chunks point into */
	struct plan plan;
	/* Memory for the chunks that are written, if none is put off. */
	struct chunks_memory chunks;
	uint64_t nblocks; /* that will be written */
};

/*
 * 'options' is what nc3z_convert() was given.  Returns what that returns for
 * options, and NC3Z_ENOMEM.
 */
int target_init(struct convert_target *target, const struct nc3z_file *file,
		const struct nc3z_pack_options *options,
		struct nc3z_error *err);

void target_release(struct convert_target *target);

#endif
