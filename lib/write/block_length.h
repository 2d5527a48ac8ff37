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

#include "write/pack_head.h"

/*
 * Settles block length and joining, if the level is the highest and the options
 * say neither a block size nor chunks.  'head' has been read; more of the
 * original is added to its bytes if that is needed.
 *
 * The choice depends on nothing but the beginning of the original, so that it
 * is the same for a pipe, and for all parts.
 *
 * Returns what nc3z_pack() returns.
 */
int block_length_choose(struct nc3z_source *in, struct pack_head *head,
			struct pack_settings *settings, struct nc3z_error *err);

#endif
