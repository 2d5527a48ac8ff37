/* SPDX-License-Identifier: MIT */
/* Packing, as other rooms see it beyond nc3z.h. */
#ifndef NC3Z_WRITE_PACK_H
#define NC3Z_WRITE_PACK_H

#include "write/sorter.h"

/* The source that is packed, and how it can be read again. */
struct pack_input {
	struct nc3z_source *source;
	/* NULL: chunks are filled later from a source that can seek. */
	sorter_fill_fn *fill;
	void *context;
	uint64_t chunks_nbytes; /* with 'fill': memory for chunks */
};

/* nc3z_pack() of that, with options from pack_options_copy(). */
int pack_from(const struct pack_input *input, struct nc3z_sink *out,
	      const struct nc3z_pack_options *options,
	      struct nc3z_summary *summary_ret, struct nc3z_error *err);

/* The same for a source alone, without warnings, progress and output. */
int pack_into_nothing(struct nc3z_source *in,
		      const struct nc3z_pack_options *options,
		      struct nc3z_summary *summary_ret, struct nc3z_error *err);

/*
 * The caller's options, or the defaults for NULL, as a struct of this version.
 * NC3Z_EINVAL for what nc3z_pack() does not take.
 */
int pack_options_copy(struct nc3z_pack_options *own,
		      const struct nc3z_pack_options *options,
		      struct nc3z_error *err);

#endif
