/* Making the plan: which variables share a stream, how large blocks are. */
#ifndef NC3Z_PLAN_SHAPE_H
#define NC3Z_PLAN_SHAPE_H

#include "plan/plan.h"
#include "plan/chunks.h"

/* Fixed members of a group or rest stream begin within so many bytes. */
#define PLAN_REACH_NBYTES (UINT32_C(1) << 20)

/* A variable with fewer bytes than this does not get blocks of its own. */
#define PLAN_SMALL_NBYTES 4096

/* What the header says of a stream; a help to choose filters, not kept. */
struct plan_hint {
	uint8_t width;
	bool is_float;
	bool is_text;
	uint32_t row_nelems;   /* 0: no rows */
	uint32_t plane_nelems; /* 0: no planes */
};

/*
 * Blocks have about so many elements, unless their size is given: reading one
 * value costs the decoding of one block, whose time goes by elements more than
 * by bytes.  Text and small things are read as a whole.
 */
#define PLAN_BLOCK_NELEMS (UINT32_C(64) << 10)
#define PLAN_BLOCK_NBYTES_LEAST (UINT32_C(128) << 10)
#define PLAN_TEXT_BLOCK_NBYTES (UINT32_C(1) << 20)

struct plan_shaping {
	uint32_t block_nbytes; /* of a block, about; 0: by its elements */
	/* Which variables are chunked; NULL: none.  It has been checked. */
	const struct plan_chunks_spec *chunks;
	uint64_t band_nbytes; /* what a band may take, if chunks are chosen */
};

/*
 * The hint of a stream as it is for one of its blocks: a chunk at an edge is
 * clipped and has rows and planes of its own.
 */
struct plan_hint plan_hint_of_block(const struct plan_stream *s,
				    const struct plan_hint *hint,
				    uint64_t block);

/*
 * Makes the plan for a header and its layout, and one hint for each stream (to
 * be freed with free()).  The plan is finished.  Variables too small for a
 * stream of their own are not chunked.
 *
 * Returns NC3Z_OK; NC3Z_ELIMIT (too many streams); NC3Z_EINVAL for chunks that
 * are too large; NC3Z_ENOMEM.
 */
int plan_shape(const struct classic_header *header, const struct layout *layout,
	       const struct plan_shaping *shaping, struct plan *plan_ret,
	       struct plan_hint **hints_ret, struct nc3z_error *err);

#endif
