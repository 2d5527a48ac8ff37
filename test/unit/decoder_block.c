/*
 * Blocks by sections 6.2 and 7 of the specification, one element after the
 * other and each as a number of 64 bits.
 */
#include <bzlib.h>
#include <zlib.h>
#include <zstd.h>

#include "picture.h"

/* A description while it is read; 'wrong' stays once it is set. */
struct reader {
	const uint8_t *p;
	size_t left;
	const char *wrong;
};

static const uint8_t *take(struct reader *r, size_t n)
{
	static const uint8_t zeros[16];
	const uint8_t *p = r->p;

	if (n > r->left)
		r->wrong = "length of a description";
	if (r->wrong)
		return zeros;
	r->p += n;
	r->left -= n;
	return p;
}

struct part {
	unsigned codec, width, nsteps;
	uint8_t ids[8];
	uint32_t strides[8];
	uint32_t nbytes, stored_nbytes;
	uint8_t *coded; /* what the codec gives */
};

struct step {
	unsigned id;
	uint8_t value[8];
};

struct work {
	struct reader in;
	const struct picture_block *block;
	const uint8_t *payload;
	size_t payload_left;
	unsigned width;
	size_t nend;
	const uint8_t *end;
	size_t n; /* elements */
};

static void read_part(struct work *w, struct part *part)
{
	struct reader *r = &w->in;

	*part = (struct part){ .codec = *take(r, 1) };
	part->width = *take(r, 1);
	part->nsteps = *take(r, 1);
	if (part->width != 1 && part->width != 2 && part->width != 4 &&
	    part->width != 8)
		r->wrong = "width";
	if (part->nsteps > 8)
		r->wrong = "number of filters";
	for (unsigned i = 0; i < part->nsteps && !r->wrong; i++) {
		unsigned id = *take(r, 1);

		part->ids[i] = (uint8_t)id;
		if (id < 1 || id > 6 || (id == 1 && i > 0) ||
		    (id > 3 && i + 1 < part->nsteps))
			r->wrong = "filters";
		if (id == 2 || id == 6) {
			part->strides[i] = picture_u32(take(r, 4));
			if (part->strides[i] == 0)
				r->wrong = "stride";
		}
	}
	part->nbytes = picture_u32(take(r, 4));
	part->stored_nbytes = picture_u32(take(r, 4));
}

static bool decode_bytes(unsigned codec, const uint8_t *stored, size_t n,
			 uint8_t *out, size_t nbytes)
{
	uLong used = (uLong)n;
	uLongf zlib_nbytes = (uLongf)nbytes;
	unsigned bz_nbytes = (unsigned)nbytes;

	switch (codec) {
	case 0:
		memcpy(out, stored, n < nbytes ? n : nbytes);
		return n == nbytes;
	case 1:
		return uncompress2(out, &zlib_nbytes, stored, &used) == Z_OK &&
		       zlib_nbytes == nbytes && used == n;
	case 2:
		return BZ2_bzBuffToBuffDecompress((char *)out, &bz_nbytes,
						  (char *)(uintptr_t)stored,
						  (unsigned)n, 0, 0) == BZ_OK &&
		       bz_nbytes == nbytes;
	case 3:
		return ZSTD_getFrameContentSize(stored, n) == nbytes &&
		       ZSTD_decompress(out, nbytes, stored, n) == nbytes;
	default:
		return false;
	}
}

/* The stored bytes of the next part of the payload. */
static void open_part(struct work *w, struct part *part)
{
	part->coded = calloc((size_t)part->nbytes + 1, 1);
	if (part->stored_nbytes > w->payload_left) {
		w->in.wrong = "stored length";
		return;
	}
	if (!decode_bytes(part->codec, w->payload, part->stored_nbytes,
			  part->coded, part->nbytes))
		w->in.wrong = "payload";
	w->payload += part->stored_nbytes;
	w->payload_left -= part->stored_nbytes;
}

/* Where byte k of element i of n is, by the last filter (section 7.1). */
static size_t place_of(const struct part *part, size_t n, size_t i, unsigned k)
{
	unsigned last = part->nsteps ? part->ids[part->nsteps - 1] : 0;
	size_t at = i * part->width + k;

	if (last == 0)
		return i * part->width + (part->width - 1 - k);
	if (last == 4)
		return k * n + i;
	if (last == 6) {
		uint64_t row =
			(uint64_t)part->strides[part->nsteps - 1] * part->width;
		size_t nrows = (size_t)(n * part->width / row);

		if (at < nrows * row)
			return (size_t)(at % row * nrows + at / row);
	}
	return at;
}

static uint64_t load(const struct part *part, size_t n, size_t i)
{
	bool bits = part->nsteps && part->ids[part->nsteps - 1] == 5;
	size_t whole = n / 8 * 8;
	uint64_t x = 0;

	for (unsigned k = part->width; k-- > 0;)
		for (unsigned b = 8; b-- > 0;) {
			size_t at = place_of(part, n, i, k);
			unsigned bit = b;

			if (bits && i < whole) {
				at = (8 * k + b) * (whole / 8) + i / 8;
				bit = i % 8;
			}
			x = 2 * x + (part->coded[at] >> bit & 1);
		}
	return x;
}

/* y -> x of section 7.2, modulo 2^(8 width). */
static void invert(unsigned id, uint32_t stride, unsigned width, size_t n,
		   uint64_t *x)
{
	const uint64_t top = UINT64_C(1) << (8 * width - 1);
	const uint64_t all = top - 1 + top;

	for (size_t i = 0; i < n; i++) {
		if (id == 1)
			x[i] = x[i] & top ? x[i] ^ top : ~x[i] & all;
		if (id == 2 && i >= stride)
			x[i] = (x[i] + x[i - stride]) & all;
		if (id == 3)
			x[i] = x[i] & 1 ? ~(x[i] / 2) & all : x[i] / 2;
	}
}

/* The elements of a part without holes; released by the caller. */
static uint64_t *elements_of(const struct part *part, size_t *n_ret)
{
	size_t n = part->nbytes / part->width;
	uint64_t *x = calloc(n + 1, sizeof(*x));

	for (size_t i = 0; i < n; i++)
		x[i] = load(part, n, i);
	for (unsigned i = part->nsteps; i-- > 0;)
		invert(part->ids[i], part->strides[i], part->width, n, x);
	*n_ret = n;
	return x;
}

static void store_be(uint64_t x, unsigned width, uint8_t *raw)
{
	for (unsigned k = width; k-- > 0; x >>= 8)
		raw[k] = (uint8_t)x;
}

static void decode_whole(struct work *w, uint8_t *raw)
{
	struct part part;
	uint64_t *x;
	size_t n;

	read_part(w, &part);
	if (w->in.wrong || part.nbytes != w->block->raw_nbytes) {
		w->in.wrong = "part";
		return;
	}
	open_part(w, &part);
	x = elements_of(&part, &n);
	memcpy(raw, part.coded, part.nbytes);
	for (size_t i = 0; i < n; i++)
		store_be(x[i], part.width, raw + i * part.width);
	free(x);
	free(part.coded);
}

static void decode_constant(struct work *w, uint8_t *raw)
{
	const uint8_t *value = take(&w->in, w->width);

	for (size_t i = 0; i < w->n * w->width; i++)
		raw[i] = value[i % w->width];
}

static void decode_split(struct work *w, unsigned nsplits, uint8_t *raw)
{
	struct step first = { 0 };

	w->width = *take(&w->in, 1);
	w->nend = *take(&w->in, 1);
	if (w->nend > 7 || w->nend >= w->block->raw_nbytes ||
	    (w->width != 1 && w->width != 2 && w->width != 4 &&
	     w->width != 8) ||
	    (w->block->raw_nbytes - w->nend) % w->width != 0) {
		w->in.wrong = "end of a block";
		return;
	}
	w->end = take(&w->in, w->nend);
	w->n = (w->block->raw_nbytes - w->nend) / w->width;
	first.id = *take(&w->in, 1);
	if (first.id == 1 && nsplits == 1)
		decode_constant(w, raw);
	else
		w->in.wrong = "splitting step";
	if (!w->in.wrong)
		memcpy(raw + w->n * w->width, w->end, w->nend);
}

const char *picture_decode_block(const struct picture_block *b, uint8_t *raw)
{
	struct work w = {
		.in = { .p = b->description, .left = b->description_nbytes },
		.block = b,
		.payload = b->payload,
		.payload_left = b->payload_nbytes,
	};
	unsigned nsplits = *take(&w.in, 1);

	if (nsplits == 0)
		decode_whole(&w, raw);
	else
		decode_split(&w, nsplits, raw);
	if (!w.in.wrong && (w.in.left || w.payload_left))
		w.in.wrong = "length of a block";
	return w.in.wrong;
}
