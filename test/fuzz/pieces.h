/*
 * An archive taken apart and put together again, so that one piece can be
 * changed and all checksums, lengths and offsets around it be right.
 */
#ifndef FUZZ_PIECES_H
#define FUZZ_PIECES_H

#include "archive/archive.h"

/* Archives are not taken apart any further than this many blocks. */
#define PIECES_BLOCKS_MAX 256

struct piece {
	struct archive_block block; /* without description and payload */
	struct buffer description;
	struct buffer payload;
};

struct pieces {
	struct buffer plan;
	struct piece blocks[PIECES_BLOCKS_MAX];
	size_t nblocks;
	struct buffer header_copy;
	uint64_t original_nbytes;
	uint8_t sha256[SHA256_NBYTES];
};

/*
 * Takes apart what looks like an archive, whatever its checksums are.  Where
 * it stops making sense the rest is missing.  False if not even the plan is
 * there.
 */
bool pieces_load(struct pieces *p, const uint8_t *data, size_t nbytes);

/*
 * Appends the archive of these pieces.  Blocks keep their numbers; identity,
 * checksums, index, catalogue and trailer are made from what is there.  False
 * if that cannot be done.
 */
bool pieces_write(const struct pieces *p, struct nc3z_sink *sink);

/* Numbers the blocks of each stream from 0. */
void pieces_number_blocks(struct pieces *p);

/*
 * Restores the archive of these pieces as far as that goes, and lets the
 * catalogue have the SHA-256 of what came out.
 */
void pieces_fix_sha256(struct pieces *p);

/* The raw bytes of a block; false if it cannot be decoded. */
bool pieces_decode(const struct piece *piece, struct buffer *raw);

void pieces_release(struct pieces *p);

#endif
