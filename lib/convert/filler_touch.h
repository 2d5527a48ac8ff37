/* SPDX-License-Identifier: MIT */
/*
 * The bytes that chunks take from blocks of the input archive: they are
 * requests for hyperslabs of a variable (hyperslab/visits.h), whose visits are
 * found for all chunks that are filled together, and sorted by blocks.
 */
#ifndef NC3Z_CONVERT_FILLER_TOUCH_H
#define NC3Z_CONVERT_FILLER_TOUCH_H

#include "hyperslab/visits.h"
#include "read/file.h"
#include "write/sorter.h"

/* The bytes of a chunk that lie in a block: a visit, or part of an element. */
struct filler_touch {
	uint64_t block;
	uint32_t stream;
	bool straddles;
	size_t chunk;
	uint64_t at;   /* position of the visit, or number of the element */
	ptrdiff_t out; /* place of the element in the chunk */
};

/* Those of the chunks that are filled together, by block. */
struct filler_touches {
	struct nc3z_file *file;
	/* Of each stream of the target: where its variable is in the file. */
	const struct hyperslab_variable **places;
	uint32_t nstreams;

	/* The rest is set by filler_touch(); zero-initialised it is nothing. */
	const struct plan_map *map;
	const struct open_block *chunks;
	uint32_t stream;
	struct filler_touch *list;
	size_t count;
	size_t capacity;
};

/* The request for a chunk of the stream that is being filled.  NC3Z_ELIMIT. */
int filler_request(const struct filler_touches *touches, uint64_t chunk,
		   struct hyperslab_visits *wanted_ret, struct nc3z_error *err);

/*
 * Takes up some chunks of a stream: what they touch.  NC3Z_ENOMEM, NC3Z_ELIMIT,
 * and NC3Z_EDAMAGED for chunks of another plan.
 */
int filler_touch(struct filler_touches *touches, const struct plan_map *map,
		 uint32_t stream, const struct open_block *chunks,
		 size_t nchunks, struct nc3z_error *err);

/* How many touches are of the block of number 'first', from that on. */
size_t filler_count_touches(const struct filler_touches *touches, size_t first);

#endif
