/* SPDX-License-Identifier: MIT */
/*
 * Decoders of blocks: codec contexts and working memory.  Their pages cost as
 * much to touch for the first time as decoding a block does, so that some of
 * those of closed files are kept for files that are opened next: programs that
 * read few values of many files take half the time.
 *
 * Thread-safe; nobody waits for anybody.
 */
#ifndef NC3Z_READ_DECODER_H
#define NC3Z_READ_DECODER_H

#include "archive/archive.h"
#include "block/block.h"

/* About how many bytes all spare decoders hold together. */
#define DECODER_SPARED_NBYTES_MAX ((size_t)8 << 20)

struct decoder {
	struct decoder *next; /* in the list of whoever has it */
	struct block_coder coder;
	struct archive_fetched fetched;
};

/* A spared or a new one; NULL if out of memory. */
struct decoder *decoder_new(void);

/* Spares a decoder if there is room, or frees it. */
void decoder_free(struct decoder *decoder);

/* Frees those that are spared, as is done when the library is unloaded. */
void decoder_free_spared(void);

#endif
