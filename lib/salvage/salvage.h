/* SPDX-License-Identifier: MIT */
/*
 * Rebuilding an archive from what is left of it.
 *
 *   salvage_scan    the records that the inputs still have
 *   salvage_join    which of them are of the archive that is wanted
 *   salvage_plan    its catalogue and plan, whichever way
 *   salvage_map     the size and header of the original; which blocks belong
 *                   where
 *   salvage_find_copies  small streams whose blocks may be lost
 *   salvage_write   the original's bytes in order, lost ones filled, into a
 *                   new archive, with the records that are whole as they are
 *
 * Every block that is used passed the CRCs of its record and of its raw bytes.
 */
#ifndef NC3Z_SALVAGE_SALVAGE_H
#define NC3Z_SALVAGE_SALVAGE_H

#include "block/block.h"
#include "classic/layout.h"
#include "salvage/losses.h"
#include "salvage/scan.h"
#include "parallel/cache.h"
#include "plan/map.h"

/* Decoded bytes that are kept, at most, unless one block is larger. */
#define SALVAGE_CACHE_NBYTES_MIN (UINT64_C(16) << 20)

/* Stream copies that agree with all good blocks; each one decoded. */
struct salvage_copies {
	struct buffer contents;
	struct archive_stream_copies list;
	uint8_t **raw;
};

struct salvage {
	struct nc3z_source *const *sources;
	uint32_t nsources;
	const struct nc3z_salvage_options *options;
	struct nc3z_error *err;

	/* After joining, the blocks found are sorted, and those of the archive,
	 * or unproven. */
	struct salvage_finds finds;
	uint32_t narchives;
	bool by_end;     /* rather by the end of an archive than by its size */
	uint32_t most;   /* the fragment with the most bytes */
	uint32_t chosen; /* fragment */
	bool *joined;    /* of each fragment */
	uint8_t identity[FORMAT_IDENTITY_NBYTES];

	struct archive_catalogue catalogue;
	struct buffer catalogue_contents;
	bool has_catalogue; /* that agrees with the plan */
	struct buffer plan_bytes;
	struct plan plan;
	int plan_from;      /* enum nc3z_salvage_plan */
	struct buffer head; /* begins with the header */
	bool head_is_copy;
	struct classic_header header;
	struct layout layout;

	struct plan_map endless;
	struct plan_map map; /* of the original, once its size is known */
	uint64_t raw_nbytes; /* of the blocks found that are used */

	struct salvage_copies copies;

	struct block_coder coder;
	struct block_record record; /* read last */
	struct buffer payload;
	struct cache *cache;
	uint64_t decoded_nbytes;
	struct salvage_losses losses;
};

/* salvage_join.c */

/*
 * Chooses an archive and keeps the blocks found with its identity alone.
 * NC3Z_ENOTARCHIVE if there is no block at all, NC3Z_EINVAL if there is no
 * archive of the number wanted.  Where it failed, it can be done once more
 * without 's->by_end'.
 */
int salvage_join(struct salvage *s);

/* Whether a fragment is of the archive or of one that begins alike. */
bool salvage_has_identity(const struct salvage *s,
			  const struct salvage_fragment *f);

/* The block found after it, if it is of the same block; otherwise NULL. */
struct salvage_found_block *
salvage_other(const struct salvage *s, const struct salvage_found_block *found);

/* The good block found of a block, NULL if there is none. */
struct salvage_found_block *salvage_good(const struct salvage *s,
					 uint32_t stream, uint64_t block);

/*
 * Whether it has a record with bytes, its own or, for a duplicate, that of the
 * block that it equals.
 */
bool salvage_has_bytes(const struct salvage *s,
		       const struct salvage_found_block *found);

/*
 * Reads that record into 's->record' and 's->payload', as the block's own.
 * NC3Z_EDAMAGED if there is none.
 */
int salvage_read(struct salvage *s, const struct salvage_found_block *found);

/* Does that and decodes it into 'raw', which has its raw length. */
int salvage_decode(struct salvage *s, const struct salvage_found_block *found,
		   uint8_t *raw);

/* salvage_plan.c */

/* Finds catalogue and plan; a lost plan is NC3Z_EDAMAGED. */
int salvage_plan(struct salvage *s);

/* Finds the header by the plan; a lost one is NC3Z_EDAMAGED. */
int salvage_find_header(struct salvage *s);

/* salvage_header.c */

/*
 * The header from its copy or, while the plan is not known, from the first
 * blocks of the rest; false in '*found_ret' if it is lost.
 */
int salvage_header_copy(struct salvage *s, bool *found_ret);
int salvage_header_first_blocks(struct salvage *s, bool *found_ret);
/* From the blocks that have it, by plan and map. */
int salvage_header_blocks(struct salvage *s, bool *found_ret);

/* salvage_map.c */

/* Fixes the size, finds the header, and parts the good blocks from bad ones. */
int salvage_map(struct salvage *s);

/* salvage_copies.c */

/* Finds the stream copies of the archive; there may be none. */
int salvage_find_copies(struct salvage *s);

/* The bytes of a stream that is copied, NULL if it is not. */
const uint8_t *salvage_copied(const struct salvage *s, uint32_t stream);

/* The contents of the section for the blocks that were written. */
int salvage_write_copies(const struct salvage *s,
			 const struct archive_writer *archive,
			 struct buffer *out);
void salvage_release_copies(struct salvage *s);

/* salvage_write.c */

/* Writes the archive and the report of it. */
int salvage_write(struct salvage *s, struct nc3z_sink *out,
		  struct nc3z_salvage_report *report);

#endif
