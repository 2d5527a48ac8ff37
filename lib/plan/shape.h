/* SPDX-License-Identifier: MIT */
/* Making the plan: which variables share a stream, how large blocks are. */
#ifndef NC3Z_PLAN_SHAPE_H
#define NC3Z_PLAN_SHAPE_H

#include "plan/chunks.h"
#include "plan/hint.h"

/* Fixed members of a group or rest stream begin within so many bytes. */
#define PLAN_REACH_NBYTES (UINT32_C(1) << 20)
/*
 * Those that share a stream with the header begin within so many bytes after
 * it, so that its block comes early, far from its copy at the archive's end;
 * unless it is more than one of so many parts of the original, and has no copy.
 */
#define PLAN_HEADER_REACH_NBYTES (UINT32_C(16) << 10)
#define PLAN_HEADER_OF_ORIGINAL 32

/* A variable with fewer bytes than this does not get blocks of its own. */
#define PLAN_SMALL_NBYTES 4096

/*
 * Blocks have about so many elements, unless their size is given: reading one
 * value costs the decoding of one block, whose time goes by elements more than
 * by bytes.  Text and small things are read as a whole.
 */
#define PLAN_BLOCK_NELEMS (UINT32_C(64) << 10)
#define PLAN_BLOCK_NBYTES_LEAST (UINT32_C(128) << 10)
#define PLAN_TEXT_BLOCK_NBYTES (UINT32_C(1) << 20)

/*
 * Originals up to this length may have their variables joined, in blocks as
 * long: one then has all that is joined.
 */
#define PLAN_JOINED_NBYTES (UINT32_C(4) << 20)

/* Which variables share a stream. */
enum plan_joining {
	PLAN_JOIN_SMALL, /* those below PLAN_SMALL_NBYTES, by their width */
	PLAN_JOIN_LIKE,  /* all of the same type and rows */
	PLAN_JOIN_WIDTH, /* all of the same width */
	PLAN_JOIN_ALL,   /* all, and the header, as bytes */
	PLAN_NJOININGS,
};

struct plan_shaping {
	uint32_t block_nbytes;     /* of a block, about; 0: by its elements */
	enum plan_joining joining; /* more than small ones: no chunks */
	/* Which variables are chunked; NULL: none.  It has been checked. */
	const struct plan_chunks_spec *chunks;
	uint64_t band_nbytes; /* what a band may take, if chunks are chosen */
	bool header_waits;    /* as 1.0.0: for variables far from the header */
};

/*
 * Makes the plan for a header and its layout, and one hint for each stream (to
 * be freed with free()).  The plan is finished.  Variables too small for a
 * stream of their own are not chunked.
 *
 * Returns NC3Z_OK; NC3Z_EINVAL for chunks that are too large; NC3Z_ENOMEM.
 */
int plan_shape(const struct classic_header *header, const struct layout *layout,
	       const struct plan_shaping *shaping, struct plan *plan_ret,
	       struct plan_hint **hints_ret, struct nc3z_error *err);

#endif
