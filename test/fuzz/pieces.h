/* SPDX-License-Identifier: MIT */
/*
 * An archive taken apart and put together again, so that one piece can be
 * changed and all checksums, lengths and offsets around it be right.
 */
#ifndef FUZZ_PIECES_H
#define FUZZ_PIECES_H

#include "archive/archive.h"

/* Archives are not taken apart any further than this many blocks. */
#define PIECES_BLOCKS_MAX 256

/* Nor are any written with more streams. */
#define PIECES_STREAMS_MAX 65536

struct piece {
	struct archive_block block; /* without description and payload */
	bool is_duplicate;          /* it has none */
	uint32_t of_stream;
	uint32_t of_block;
	struct buffer description;
	struct buffer payload;
};

/* What is written wrongly on purpose, under the right checksums. */
enum lie {
	LIE_NONE,
	LIE_RAW_CRC,  /* of the last block */
	LIE_IDENTITY, /* of the last block */
	LIE_CHAIN,    /* of the last block */
	LIE_VERSION,
	LIE_INDEX,
	LIE_CATALOGUE,
	LIE_TRAILER,
	LIE_END, /* a byte follows */
	LIE_COUNT,
};

struct pieces {
	enum lie lie;
	uint8_t section_codec; /* store or deflate, which is slow */
	struct buffer plan;
	struct piece blocks[PIECES_BLOCKS_MAX];
	size_t nblocks;
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
 * Appends the archive of these pieces to an empty buffer.  Blocks keep their
 * numbers; identity, checksums, index, catalogue and trailer are made from what
 * is there.  False if that cannot be done.
 */
bool pieces_write(const struct pieces *p, struct buffer *out);

/* Numbers the blocks of each stream from 0. */
void pieces_number_blocks(struct pieces *p);

/*
 * Restores the archive of these pieces as far as that goes, and lets the
 * catalogue have the SHA-256 of what came out.
 */
void pieces_fix_sha256(struct pieces *p);

/* The raw bytes of a block; false if it cannot be decoded. */
bool pieces_decode(const struct piece *piece, struct buffer *raw);

void pieces_clear(struct pieces *p);

#endif
