/* SPDX-License-Identifier: MIT */
/*
 * How long blocks are at the highest level, where the caller does not say, and
 * whether variables of short originals share them.
 *
 * Longer blocks need fewer tables and find more that repeats, but values to
 * drop, divisors and predictions follow the data less closely; blocks of
 * several variables find what these have in common, and are fewer.  Which of it
 * weighs more is found out: the beginning of the original is packed into
 * nothing, with each length, at a level that takes little time.
 */
#ifndef NC3Z_WRITE_BLOCK_LENGTH_H
#define NC3Z_WRITE_BLOCK_LENGTH_H

#include "base/memory.h"
#include "classic/header.h"
#include "io/source.h"

/* Packs without warnings, progress and output: pack_into_nothing(). */
typedef int block_length_trial_fn(struct nc3z_source *in,
				  const struct nc3z_pack_options *options,
				  struct nc3z_summary *summary_ret,
				  struct nc3z_error *err);

/*
 * Sets options->block_nbytes, if it is 0 at the highest level and there are no
 * chunks.  'begun' is what has been read of the original, with all of the
 * header; more of it is read if that is needed.
 *
 * The choice depends on nothing but the beginning of the original, so that it
 * is the same for a pipe, and for all parts.
 *
 * Returns what nc3z_pack() returns.
 */
int block_length_choose(struct nc3z_source *in, struct buffer *begun,
			const struct classic_header *header,
			struct nc3z_pack_options *options,
			block_length_trial_fn *trial, struct nc3z_error *err);

#endif
