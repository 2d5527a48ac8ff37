/*
 * One block: raw bytes of a stream <-> what the archive keeps of them.
 *
 * raw --splitting steps--> parts --filters--> --codec--> payload
 *
 * What was done is written down in the *description* (section "Block
 * description" of the specification): splitting steps, then for each part its
 * codec, element width, filters, length and stored length.  The payload is the
 * stored bytes of the parts, one after the other.  Nothing here knows where a
 * block comes from or where it goes.
 */
#ifndef NC3Z_BLOCK_BLOCK_H
#define NC3Z_BLOCK_BLOCK_H

#include "base/memory.h"
#include "codec/codec.h"
#include "filter/filter.h"

#define BLOCK_NBYTES_MAX NC3Z_BLOCK_NBYTES_MAX
#define BLOCK_SPLITS_MAX 2
#define BLOCK_PARTS_MAX 16
/* A description: two counts, parts of 11 bytes with eight steps of 5. */
#define BLOCK_DESCRIPTION_MAX (2 + BLOCK_PARTS_MAX * (11 + 8 * 5))

/* How to encode a block. */
struct block_recipe {
	uint8_t width;
	uint8_t codec; /* enum nc3z_codec */
	int level;     /* the codec's own */
	struct filter_chain chain;
};

struct block_part {
	uint8_t codec;
	uint8_t width;
	struct filter_chain chain;
	uint32_t nbytes;
	uint32_t stored_nbytes;
};

struct block_description {
	uint8_t nparts;
	struct block_part parts[BLOCK_PARTS_MAX];
};

/*
 * Working memory and codec contexts, kept between calls: one for each thread.
 * Zero-initialised it is empty.
 */
struct block_coder {
	struct codec_state codecs;
	struct buffer filtered;
	struct buffer scratch;
};

void block_coder_release(struct block_coder *coder);

/* The largest payload of a block of this many raw bytes. */
static inline size_t block_payload_max(size_t raw_nbytes)
{
	return raw_nbytes + raw_nbytes / 8 + 4096;
}

/* What the archive keeps of a block.  Zero-initialised it is empty. */
struct block_stored {
	struct buffer description;
	struct buffer payload;
};

void block_stored_release(struct block_stored *stored);

/*
 * Encodes 'raw' (1 to BLOCK_NBYTES_MAX bytes) into 'stored', whose memory is
 * used again.  Where the recipe does not make the block smaller it is stored
 * as it is.
 *
 * Returns NC3Z_OK, NC3Z_ENOMEM.
 */
int block_encode(struct block_coder *coder, const struct block_recipe *recipe,
		 const uint8_t *raw, size_t raw_nbytes,
		 struct block_stored *stored, struct nc3z_error *err);

/* The same in memory of somebody else, for decoding. */
struct block_view {
	const uint8_t *description;
	size_t description_nbytes;
	const uint8_t *payload;
	size_t payload_nbytes;
};

/*
 * Decodes a block into exactly 'raw_nbytes' bytes.  Description and payload
 * are hostile.
 *
 * Returns NC3Z_OK, NC3Z_EDAMAGED, NC3Z_EUNSUPPORTED (a codec, filter or
 * splitting step that is not known), NC3Z_ENOMEM.
 */
int block_decode(struct block_coder *coder, const struct block_view *stored,
		 uint8_t *raw, size_t raw_nbytes, struct nc3z_error *err);

/* description.c */

/* Appends a description to 'out'; false if out of memory. */
bool block_description_write(const struct block_description *d,
			     struct buffer *out);

/*
 * Reads and checks a description: all of it, known numbers, legal chains,
 * lengths that add up to that of the payload and parts within the bound for
 * 'raw_nbytes'.
 */
int block_description_read(const struct block_view *stored, size_t raw_nbytes,
			   struct block_description *d_ret,
			   struct nc3z_error *err);

#endif
