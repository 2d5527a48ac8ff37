/* SPDX-License-Identifier: MIT */
/* Packing with settings that are settled. */
#ifndef NC3Z_WRITE_PACKER_H
#define NC3Z_WRITE_PACKER_H

#include "write/pack_head.h"
#include "write/sorter.h"

/* The source that is packed, and how it can be read again. */
struct pack_input {
	struct nc3z_source *source;
	/* NULL: chunks are filled later from a source that can seek. */
	sorter_fill_fn *fill;
	void *context;
	uint64_t chunks_nbytes; /* with 'fill': memory for chunks */
};

/*
 * Packs a source from which 'head' has been read, pack_head_read(); it stays
 * the caller's.  Returns what nc3z_pack() returns.
 */
int pack_from(const struct pack_input *input, struct pack_head *head,
	      struct nc3z_sink *out, const struct pack_settings *settings,
	      struct nc3z_summary *summary_ret, struct nc3z_error *err);

/* The same for a source alone, without warnings, progress and output. */
int pack_into_nothing(struct nc3z_source *in, struct pack_head *head,
		      const struct pack_settings *settings,
		      struct nc3z_summary *summary_ret, struct nc3z_error *err);

#endif
