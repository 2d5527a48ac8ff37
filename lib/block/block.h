/* SPDX-License-Identifier: MIT */
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
 *
 * Encoding in one go, with a recipe that is known:
 *
 *	block_encode(coder, &recipe, raw, raw_nbytes, &stored, err);
 *
 * Looking for a recipe: the splitting steps are done once, then chains, codecs
 * and levels are tried on what they gave, on samples or on the whole:
 *
 *	block_prepare(coder, &recipe, raw, raw_nbytes, &prepared, err);
 *	for each chain
 *		block_sample(coder, &prepared, &recipe, 65536, &nbytes, err);
 *	block_encode_prepared(coder, &prepared, &recipe, &stored, err);
 *
 * block_prepare() needs a recipe without its chain; what lies beside the main
 * part is encoded there.  block_sample() and block_encode_prepared() encode
 * the main part; with another codec or level they need no block_prepare() of
 * their own, but then only the main part changes.
 */
#ifndef NC3Z_BLOCK_BLOCK_H
#define NC3Z_BLOCK_BLOCK_H

#include "base/memory.h"
#include "codec/codec.h"
#include "context/context.h"
#include "filter/filter.h"
#include "filter/repeat.h"

#define BLOCK_NBYTES_MAX NC3Z_BLOCK_NBYTES_MAX
#define BLOCK_SPLITS_MAX 2
#define BLOCK_PARTS_MAX 4
/* Parts beside the main one: mask, then exceptions or table. */
#define BLOCK_SIDES_MAX (BLOCK_PARTS_MAX - 1)
/* Bytes at the end of a block that splitting steps leave alone. */
#define BLOCK_END_MAX 7

/* Splitting steps that a recipe may ask for, or'ed together. */
enum block_transform {
	BLOCK_TRANSFORM_DROP = 1, /* the most frequent value, from 2 % on */
	/* Fraction of floating-point, multiple of others. */
	BLOCK_TRANSFORM_DECIMAL = 2,
	BLOCK_TRANSFORM_PALETTE =
		4, /* where decimal is not asked for or fails */
	/* In place of drop; what repeats at a distance, from a quarter on. */
	BLOCK_TRANSFORM_REPEAT = 8,
};

/*
 * How to encode a block.  A transform that a block does not fit is left out;
 * so a recipe found on one block serves for others.
 */
struct block_recipe {
	uint8_t width;      /* of the block's elements */
	bool is_float;      /* IEEE 754 elements */
	uint8_t transforms; /* of enum block_transform */
	/*
	 * Elements of a row, at which distance masks repeat, and of a plane of
	 * rows; 0 if unknown.
	 */
	uint32_t row_nelems;
	uint32_t plane_nelems;
	uint8_t codec; /* enum nc3z_codec */
	int level;     /* the codec's own */
	/*
	 * A bit for each codec that is tried as well: LZMA, at what
	 * codec_level() gives it for 'others_level', and 'codec' itself, at
	 * its fastest level, which finds fewer matches that cost more than
	 * they save.
	 */
	uint8_t others;
	uint8_t others_level;
	/*
	 * A block that takes as many bytes will be dropped, so that codecs
	 * which take long may give up earlier; 0: none will.
	 */
	size_t too_many_nbytes;
	/*
	 * Of the main part.  Order is left out where a step has made integers
	 * of the elements, shuffle where they are bytes.
	 */
	struct filter_chain chain;
};

/* Splitting steps: numbers of the format. */
enum block_split_id {
	BLOCK_CONSTANT = 1,
	BLOCK_DROP = 2,
	BLOCK_FRACTION = 3,
	BLOCK_PALETTE = 4,
	BLOCK_MULTIPLE = 5,
	BLOCK_REPEAT = 6,
};

/* The name of a splitting step, NULL for a number that is none. */
const char *block_split_name(uint8_t id);

struct block_split {
	uint8_t id;
	uint8_t value[8]; /* constant, drop: an element, as in the block */
	uint32_t stride;  /* drop: of the mask */
	struct repeat_distances distances; /* repeat */
	/* Fraction: elements are (minimum + q * factor) / divisor. */
	uint64_t divisor;
	/* That and multiple, whose elements are minimum + q * factor. */
	uint64_t factor;
	int64_t minimum;
	bool has_exceptions; /* fraction */
};

struct block_part {
	uint8_t codec;
	uint8_t width;
	struct filter_chain chain;
	uint32_t nbytes;
	uint32_t stored_nbytes;
};

struct block_description {
	uint8_t nsplits;
	/* With splitting steps: */
	uint8_t width; /* of the block's elements */
	uint8_t end_nbytes;
	uint8_t end[BLOCK_END_MAX];
	struct block_split splits[BLOCK_SPLITS_MAX];

	uint8_t nparts; /* follows from the splitting steps; main part last */
	/* One more, as it is read before it is checked: steps may be wrong. */
	struct block_part parts[BLOCK_PARTS_MAX + 1];
};

/* The mask that was encoded last, see last_mask.c. */
struct block_last_mask {
	size_t nelems; /* 0: none */
	struct block_recipe recipe;
	struct buffer mask; /* as drop_pack() makes it of the block */
	struct buffer stored;
	struct block_part part;
	uint32_t stride; /* of the splitting step */
};

/*
 * Working memory and codec contexts, kept between calls: one for each thread.
 * Zero-initialised it is empty.
 */
struct block_coder {
	struct codec_state codecs;
	struct context_coder context;
	struct buffer filtered;
	struct buffer scratch;
	struct buffer sample;
	struct buffer coded;
	/* Of splitting steps: */
	struct buffer sides[BLOCK_SIDES_MAX];
	struct block_last_mask last_mask;
	struct buffer elems;
	struct buffer holes;
	struct buffer palette;           /* struct palette_memory */
	struct block_prepared *prepared; /* of block_encode() */
};

void block_coder_release(struct block_coder *coder);

/* Bytes of working memory, but for codec contexts. */
size_t block_coder_nbytes(const struct block_coder *coder);

/*
 * How many of so many threads may decode blocks of up to 'raw_nbytes' each, so
 * that together they take about a gigabyte at most: one may in any case.  An
 * archive of a few bytes can ask for blocks of 64 MiB.
 */
unsigned block_decoding_threads(unsigned nthreads, uint64_t raw_nbytes);

/* The largest payload of a block of this many raw bytes. */
static inline size_t block_payload_max(size_t raw_nbytes)
{
	return raw_nbytes + raw_nbytes / 8 + 4096;
}

/* A block as the archive stores it.  Zero-initialised it is empty. */
struct block_stored {
	struct buffer description;
	struct buffer payload;
	uint8_t codecs; /* of its parts, a bit for each number */
};

void block_stored_release(struct block_stored *stored);

/*
 * Encodes 'raw' (1 to BLOCK_NBYTES_MAX bytes) into 'stored', whose memory is
 * used again.  A block whose elements are all equal needs no payload; where the
 * recipe does not make a block smaller it is stored as it is.  With the codec
 * store, the chain is applied even if that gains nothing, and nothing else.
 *
 * Returns NC3Z_OK, NC3Z_ENOMEM.
 */
int block_encode(struct block_coder *coder, const struct block_recipe *recipe,
		 const uint8_t *raw, size_t raw_nbytes,
		 struct block_stored *stored, struct nc3z_error *err);

/*
 * A block after its splitting steps.  Zero-initialised it is empty; its memory
 * is used again.
 */
struct block_prepared {
	const uint8_t *raw; /* of the caller, who keeps it in place */
	size_t raw_nbytes;
	/*
	 * Complete but for codec, chain and stored length of the main part,
	 * which is the last one: with the width and length of this, a chooser
	 * knows what it can try.
	 */
	struct block_description description;
	/* Without splitting steps nothing of this is used. */
	size_t nelems; /* of the block, holes included */
	size_t nkept;  /* no holes */
	bool has_holes;
	struct buffer main;  /* elements, holes included */
	struct buffer holes; /* one byte for each element */
	struct buffer sides; /* stored bytes of the parts beside */
};

/* The transforms of a recipe that came true. */
uint8_t block_transforms(const struct block_prepared *prepared);

/* Whether a block was split by a step. */
bool block_has_split(const struct block_prepared *prepared,
		     enum block_split_id id);

/* Whether the main part has integers in place of its elements. */
bool block_has_integers(const struct block_prepared *prepared);

/* Whether a block needs no payload: any recipe is as good as any other. */
static inline bool block_is_constant(const struct block_prepared *prepared)
{
	return block_has_split(prepared, BLOCK_CONSTANT);
}

/*
 * Splits a block as the recipe says.
 *
 * Returns NC3Z_OK, NC3Z_ENOMEM.
 */
int block_prepare(struct block_coder *coder, const struct block_recipe *recipe,
		  const uint8_t *raw, size_t raw_nbytes,
		  struct block_prepared *prepared, struct nc3z_error *err);

void block_prepared_release(struct block_prepared *prepared);

/* block_encode() after block_prepare(). */
int block_encode_prepared(struct block_coder *coder,
			  const struct block_prepared *prepared,
			  const struct block_recipe *recipe,
			  struct block_stored *stored, struct nc3z_error *err);

/*
 * Estimates what block_encode_prepared() would give, description and payload,
 * from 'sample_nbytes' of the main part: filters see their true neighbours,
 * then four probes are encoded.  A part that is not larger is encoded whole.
 *
 * Returns NC3Z_OK, NC3Z_ENOMEM.
 */
int block_sample(struct block_coder *coder,
		 const struct block_prepared *prepared,
		 const struct block_recipe *recipe, size_t sample_nbytes,
		 size_t *nbytes_ret, struct nc3z_error *err);

/* The same in memory that another owns, for decoding. */
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

/* The same, with the CRC-32 that the raw bytes must have: NC3Z_EDAMAGED. */
int block_decode_checked(struct block_coder *coder,
			 const struct block_view *stored, uint8_t *raw,
			 size_t raw_nbytes, uint32_t raw_crc,
			 struct nc3z_error *err);

/* description.c */

/* Appends a description to 'out'; false if out of memory. */
bool block_description_write(const struct block_description *d,
			     struct buffer *out);

/*
 * Reads and checks a description: all of it, known numbers, legal steps and
 * chains, lengths that add up to that of the payload and parts within the
 * bound for 'raw_nbytes'.
 */
int block_description_read(const struct block_view *stored, size_t raw_nbytes,
			   struct block_description *d_ret,
			   struct nc3z_error *err);

/* description_text.c */

/* The description, as nc3z_inq_block() returns it. */
void block_description_coding(const struct block_description *d,
			      struct nc3z_coding *coding);

#endif
