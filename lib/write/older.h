/* SPDX-License-Identifier: MIT */
/*
 * An archive of an older state of the file that is packed: a file to which
 * records were appended has most of its blocks already.
 *
 * What packing makes of a block is a function of its bytes, what the header
 * says of its stream, the blocks of the stream since the last search for a
 * recipe (recipe_cache.h), the options and the version.  Bytes are compared: a
 * block is decoded before it is copied, so that no damage is.  Options and
 * version are in no archive.  That they are the same is seen from samples, the
 * first of each OLDER_SAMPLE blocks of a stream, and from the blocks before new
 * ones, whose recipes these need: they are encoded, and have to come out as
 * they are in the archive.  If one does not, or if anything is damaged, nothing
 * that was copied can be trusted: NC3Z_EOLDER.
 *
 * Where all of the older original has to be in the file (older_is_kept in
 * struct nc3z_pack_options), all its blocks are compared, also with longer ones
 * that they are the beginning of.  Only its number of records may be another.
 */
#ifndef NC3Z_WRITE_OLDER_H
#define NC3Z_WRITE_OLDER_H

#include "archive/archive.h"
#include "block/block.h"
#include "plan/map.h"
#include "write/recipe_cache.h"

/* Zero-initialised it is none. */
struct older {
	struct archive_reader archive;
	struct plan plan;
	struct plan_map map;
	const struct plan *file_plan; /* NULL: the file need not have it all */
};

/* A block of it: one for each thread.  Zero-initialised it is empty. */
struct older_block {
	struct archive_fetched fetched;
	struct buffer raw;
	bool is_same; /* of older_compare() */
};

void older_block_release(struct older_block *block);

/*
 * Opens an archive; to be released in any case.  NC3Z_OK; NC3Z_EOLDER, and why,
 * if that cannot be done; NC3Z_EINVAL for a source that cannot seek;
 * NC3Z_ENOMEM.
 */
int older_open(struct older *older, struct nc3z_source *source,
	       struct nc3z_error *err);
void older_release(struct older *older);

/*
 * From now on the file, which is packed with this plan and has so many bytes,
 * has to have all of it.  NC3Z_EOLDER if it cannot.
 */
int older_keep(struct older *older, const struct plan *file_plan,
	       uint64_t file_nbytes, struct nc3z_error *err);

/*
 * Reads a block, and sets whether it has the raw bytes.  Any number of threads
 * may.  NC3Z_EOLDER if it is damaged, or has to have the bytes and does not;
 * NC3Z_ENOMEM.
 */
int older_compare(struct older *older, const struct archive_block *wanted,
		  const uint8_t *raw, struct block_coder *coder,
		  struct older_block *block, struct nc3z_error *err);

/* Reads a block that is there, without such bytes. */
int older_read(struct older *older, uint32_t stream, uint32_t block,
	       struct block_coder *coder, struct older_block *ret,
	       struct nc3z_error *err);

/*
 * Samples are blocks that are searched: all of these where first blocks may
 * differ.
 */
#define OLDER_SAMPLE (UINT32_C(16) * RECIPE_EPOCH)

static inline bool older_samples(const struct older *older, uint32_t block)
{
	return block % (older->file_plan ? OLDER_SAMPLE : RECIPE_EPOCH) == 0;
}

/*
 * Whether a block that was read is stored as packing stores it by itself:
 * neither a duplicate nor re-encoded because of a foreign signature.
 */
bool older_is_plain(const struct older_block *block);

/* Whether it is stored like that: NC3Z_OK or NC3Z_EOLDER. */
int older_check(const struct older_block *block,
		const struct block_stored *stored, struct nc3z_error *err);

#endif
