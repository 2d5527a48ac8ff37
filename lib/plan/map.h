/* SPDX-License-Identifier: MIT */
/*
 * The two ways through a plan for an original of a given size: from an offset
 * of the original to a place in a stream, and from a place in a stream to a
 * block.
 *
 * Only the last span of a stream can be incomplete: a span ends before the
 * next one begins in the original.
 *
 * Offsets in a chunked stream are those in the stream of the whole variable:
 * where the original ends early, chunks are short but begin where they would
 * begin (plan/grid.h).
 */
#ifndef NC3Z_PLAN_MAP_H
#define NC3Z_PLAN_MAP_H

#include "plan/plan.h"

struct plan_extent {
	uint64_t nbytes; /* length of the stream */
	uint64_t nblocks;
	uint64_t span_nbytes; /* of a whole span: panel, band or all */
	uint64_t span_nblocks;
	/*
	 * For each member of an incomplete last span, the bytes of earlier
	 * members in it; NULL where there is no incomplete span.
	 */
	uint64_t *last_before;
};

struct plan_map {
	const struct plan *plan;
	uint64_t original_nbytes;
	struct plan_extent *extents; /* one for each stream */
};

/*
 * A map for an original of 'original_nbytes' bytes (at most PLAN_OFFSET_END,
 * which stands for "not known yet"); the plan must outlive it.
 *
 * Returns NC3Z_OK, NC3Z_ENOMEM.
 */
int plan_map_init(struct plan_map *map, const struct plan *plan,
		  uint64_t original_nbytes, struct nc3z_error *err);

void plan_map_release(struct plan_map *map);

/* A byte of the original in a member: in which record, and how far in it. */
struct plan_place {
	const struct plan_owner *owner; /* of plan->fixed, or of plan->slots */
	uint64_t record;                /* 0 where it is fixed */
	uint64_t skip;
};

struct plan_place plan_place_at(const struct plan *plan, uint64_t offset);

/* Bytes that follow each other both in a stream and where they come from. */
struct plan_run {
	uint32_t stream;
	uint64_t stream_offset;
	uint64_t nbytes;
};

/* The run at an offset of the original, which is less than its size. */
struct plan_run plan_run_at(const struct plan_map *map, uint64_t offset);

/*
 * The same from inside a member: byte 'member_offset' of all its records one
 * after the other, and how many bytes of them follow each other in the stream:
 * up to the end of the stream where the member is alone, else up to the end of
 * its share of a panel; up to the end of a row of a chunk, or of what the chunk
 * has in one piece.  'nbytes' is 0 where the original, or the records, end
 * before.
 */
struct plan_run plan_member_run(const struct plan_map *map, uint32_t stream,
				uint32_t member, uint64_t member_offset);

/*
 * Where the share of a member begins in span 'span' of its linear stream: the
 * bytes that earlier members have in that span.
 */
uint64_t plan_share_offset(const struct plan_map *map, uint32_t stream,
			   uint64_t span, uint32_t member);

struct plan_block {
	uint64_t block;         /* its number in the stream */
	uint64_t stream_offset; /* of its first byte */
	uint64_t nbytes;
};

/* The block that holds a place of a stream, which is less than its length. */
struct plan_block plan_block_at(const struct plan_map *map, uint32_t stream,
				uint64_t stream_offset);

/* The run at an offset of the original, as far as one block holds it. */
struct plan_run plan_run_in_block(const struct plan_map *map, uint64_t offset,
				  struct plan_block *block_ret);

/* Where the bytes of a run are in a block, and how many are there. */
struct plan_piece {
	uint64_t at;
	uint64_t nbytes; /* 0: none */
};

/*
 * The piece of a block for the run at an offset, both as plan_run_in_block()
 * gives them, where the block has 'nbytes' bytes: no more than there, fewer if
 * the original ends in it.  The size of the original need not be known.
 */
struct plan_piece plan_piece_of_block(const struct plan_map *map,
				      uint64_t offset,
				      const struct plan_run *run,
				      const struct plan_block *block,
				      uint64_t nbytes);

/*
 * Where the share of a member begins in a panel of several members of which the
 * original has 'nbytes' bytes: so many whole records, and the beginning of one
 * more.
 */
uint64_t plan_cut_share(const struct plan_stream *s, uint32_t member,
			uint64_t nbytes);

/* The block with a number less than the stream's number of blocks. */
struct plan_block plan_block_numbered(const struct plan_map *map,
				      uint32_t stream, uint64_t block);

/* Raw bytes of the largest block. */
uint64_t plan_map_largest_block(const struct plan_map *map);

#endif
