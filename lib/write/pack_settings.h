/* SPDX-License-Identifier: MIT */
/* How a file is packed: the caller's options, and what they leave open. */
#ifndef NC3Z_WRITE_PACK_SETTINGS_H
#define NC3Z_WRITE_PACK_SETTINGS_H

#include "base/status.h"
#include "plan/shape.h"

struct pack_settings {
	struct nc3z_pack_options options; /* checked, and of this version */
	int effort;            /* their level, or a trial: choose/effort.h */
	uint32_t block_nbytes; /* 0: by elements */
	enum plan_joining joining;
	bool header_waits;        /* as 1.0.0: see struct plan_shaping */
	uint64_t original_nbytes; /* 0: not known */
};

/* The length of blocks at the highest level, if nothing is tried. */
#define PACK_LEVEL_MAX_NBYTES (UINT32_C(1) << 20)

/*
 * What options say, or the defaults for NULL.  NC3Z_EINVAL for what nc3z_pack()
 * does not take.
 */
int pack_settings_init(struct pack_settings *settings,
		       const struct nc3z_pack_options *options,
		       struct nc3z_error *err);

#endif
