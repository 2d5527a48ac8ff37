/* SPDX-License-Identifier: MIT */
/*
 * What the blocks of a file depend on beside its bytes, as bytes: settings of
 * packing, and the versions of the code that packs.
 */
#ifndef NC3Z_WRITE_PART_OPTIONS_H
#define NC3Z_WRITE_PART_OPTIONS_H

#include "base/memory.h"
#include "write/pack_settings.h"

/* Appends them; false if out of memory. */
bool part_options_write(const struct pack_settings *settings,
			struct buffer *out);

/* Settings as they were, and what they point to; empty if zero-initialised. */
struct part_options {
	struct pack_settings settings;
	const char **chunks;
	char *texts;
};

/*
 * Reads settings, which are hostile, and checks them as packing does.  To be
 * released in any case.
 *
 * NC3Z_OK; NC3Z_EUNSUPPORTED for those of other versions; NC3Z_EDAMAGED,
 * NC3Z_EINVAL, NC3Z_ENOMEM.
 */
int part_options_read(const struct buffer *in, struct part_options *ret,
		      struct nc3z_error *err);

void part_options_release(struct part_options *options);

#endif
