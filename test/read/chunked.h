/* SPDX-License-Identifier: MIT */
/* Archives as the packer would not make them: any chunks, any recipe. */
#ifndef READ_CHUNKED_H
#define READ_CHUNKED_H

#include "blob.h"
#include "block/block.h"

/*
 * The archive of a file, in which streams of one variable without padding have
 * chunks of random lengths; empty, after a failed check, if that fails.  '*n_ret'
 * is the number of chunked streams.
 */
struct blob chunked_make(const struct blob *file, uint64_t *seed,
			 uint32_t *n_ret);

/*
 * The archive of a file, unchunked, all of whose blocks are encoded by a recipe
 * (of elements no wider than their stream's).
 */
struct blob recipe_make(const struct blob *file,
			const struct block_recipe *recipe);

#endif
