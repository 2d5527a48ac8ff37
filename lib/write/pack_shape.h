/* SPDX-License-Identifier: MIT */
/* How a file will be packed, from its header, its size and the options. */
#ifndef NC3Z_WRITE_PACK_SHAPE_H
#define NC3Z_WRITE_PACK_SHAPE_H

#include "classic/layout.h"
#include "plan/chunks.h"
#include "plan/shape.h"
#include "write/pack_settings.h"

/* Zero-initialised it is empty. */
struct pack_shape {
	struct layout layout;
	struct plan_chunks_spec chunks; /* of the options */
	struct plan plan;
	struct plan_hint *hints; /* one for each stream */
	/* Whole records after those that the header counts: part of the
	 * record section all the same. */
	uint64_t nuncounted;
};

/*
 * How many whole records a file of a size has after those that its header
 * counts, as a writer leaves them that was killed; 0 if other data may lie
 * there.  And how many bytes it has after the data that its header describes;
 * 0 if it describes all, or leaves the end open.  NC3Z_ELIMIT, NC3Z_ENOMEM.
 */
int pack_uncounted(const struct classic_header *header, uint64_t size,
		   uint64_t *nuncounted_ret, uint64_t *nbytes_ret,
		   struct nc3z_error *err);

/*
 * The shape that packing with some settings gives a file.  It is to be released
 * also after a failure.
 *
 * Returns NC3Z_OK; NC3Z_EINVAL for chunks that are none or do not suit the
 * header; NC3Z_ELIMIT, NC3Z_ENOMEM, and what layout_of_header() returns.
 */
int pack_shape_init(struct pack_shape *shape,
		    const struct classic_header *header,
		    const struct pack_settings *settings,
		    struct nc3z_error *err);

void pack_shape_release(struct pack_shape *shape);

#endif
