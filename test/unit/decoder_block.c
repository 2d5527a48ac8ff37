/* SPDX-License-Identifier: MIT */
/*
 * Blocks by sections 6.2 and 7 of the specification, one element after the
 * other and each as a number of 64 bits.
 */
#include <bzlib.h>
#include <lzma.h>
#include <zlib.h>
#include <zstd.h>

#include "picture.h"
#include "promises/context_definition.h"

#define CONTEXT 4

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
	const uint8_t *stored;
	uint8_t *coded; /* what the codec gives, unless it is CONTEXT */
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

/* With the largest dictionary, which suffices for any stream. */
static bool decode_lzma(const uint8_t *stored, size_t n, uint8_t *out,
			size_t nbytes)
{
	lzma_options_lzma options = { .dict_size = 1 << 23 };
	const lzma_filter filters[] = { { LZMA_FILTER_LZMA2, &options },
					{ LZMA_VLI_UNKNOWN, NULL } };
	size_t used = 0, got = 0;

	return lzma_raw_buffer_decode(filters, NULL, stored, &used, n, out,
				      &got, nbytes) == LZMA_OK &&
	       used == n && got == nbytes;
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
	case 5:
		return decode_lzma(stored, n, out, nbytes);
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
	part->stored = w->payload;
	if (part->codec != CONTEXT &&
	    !decode_bytes(part->codec, w->payload, part->stored_nbytes,
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

	for (unsigned k = part->width; k-- > 0;) {
		if (!bits || i >= whole) {
			x = 256 * x + part->coded[place_of(part, n, i, k)];
			continue;
		}
		for (unsigned b = 8; b-- > 0;) {
			size_t at = (8 * k + b) * (whole / 8) + i / 8;

			x = 2 * x + (part->coded[at] >> i % 8 & 1);
		}
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

/*
 * The elements of the main part, or of a block without splitting steps, if
 * they are coded by contexts: those of n that are no holes.
 */
static uint64_t *elements_by_contexts(struct work *w, const struct part *part,
				      size_t n, const uint8_t *holes)
{
	struct filter_elems shape = { .width = (uint8_t)part->width,
				      .n = n,
				      .holes = holes };
	uint64_t *x = calloc(n + 1, sizeof(*x));
	size_t kept = 0;

	for (size_t i = 0; i < n; i++)
		shape.nkept += !(holes && holes[i]);
	if (part->nsteps > 0 || part->nbytes != shape.nkept * part->width)
		w->in.wrong = "part of contexts";
	else
		w->in.wrong = context_define_stored(
			part->stored, part->stored_nbytes, &shape, x);
	for (size_t i = 0; i < n; i++)
		if (!(holes && holes[i]))
			x[kept++] = x[i];
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
	n = part.nbytes / part.width;
	if (part.codec == CONTEXT && !w->in.wrong)
		x = elements_by_contexts(w, &part, n, NULL);
	else
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

/* Section 6.3: what the steps say, and their parts. */
struct splits {
	bool has_drop, has_fraction, has_multiple, has_palette;
	bool has_exceptions;
	uint8_t value[8];
	uint32_t mask_stride;
	double divisor;
	uint64_t factor, minimum;
	struct part mask, places, values, table, main;
	uint8_t *holes;
	size_t *upto; /* of each element: those up to it that are no holes */
	size_t nkept;
};

static void read_step(struct work *w, struct splits *s, unsigned id)
{
	if (id == 2 && !s->has_drop) {
		s->has_drop = true;
		memcpy(s->value, take(&w->in, w->width), w->width);
		s->mask_stride = picture_u32(take(&w->in, 4));
	} else if (id == 3 && !s->has_palette && w->width >= 4) {
		s->has_fraction = true;
		s->divisor = (double)picture_u64(take(&w->in, 8));
		s->factor = picture_u64(take(&w->in, 8));
		s->has_exceptions = *take(&w->in, 1);
		s->minimum = picture_u64(take(&w->in, 8));
	} else if (id == 5 && !s->has_palette) {
		s->has_multiple = true;
		s->factor = picture_u64(take(&w->in, 8));
		s->minimum = picture_u64(take(&w->in, 8));
	} else if (id == 4 && !s->has_fraction) {
		s->has_palette = true;
	} else {
		w->in.wrong = "splitting step";
	}
}

static void read_parts(struct work *w, struct splits *s)
{
	if (s->has_drop)
		read_part(w, &s->mask);
	if (s->has_exceptions) {
		read_part(w, &s->places);
		read_part(w, &s->values);
	}
	if (s->has_palette)
		read_part(w, &s->table);
	read_part(w, &s->main);
}

/* Parts in the same order; those that are not there are empty and stored. */
static void open_parts(struct work *w, struct splits *s)
{
	if (s->mask.codec == CONTEXT || s->places.codec == CONTEXT ||
	    s->values.codec == CONTEXT || s->table.codec == CONTEXT)
		w->in.wrong = "part that is not of contexts";
	open_part(w, &s->mask);
	open_part(w, &s->places);
	open_part(w, &s->values);
	open_part(w, &s->table);
	open_part(w, &s->main);
}

/* The bytes of a part: its elements, big-endian, and what is behind them. */
static uint8_t *bytes_of(const struct part *part)
{
	uint8_t *bytes = calloc((size_t)part->nbytes + 1, 1);
	uint64_t *x;
	size_t n;

	memcpy(bytes, part->coded, part->nbytes);
	x = elements_of(part, &n);
	for (size_t i = 0; i < n; i++)
		store_be(x[i], part->width, bytes + i * part->width);
	free(x);
	return bytes;
}

static void find_holes(struct work *w, struct splits *s)
{
	uint8_t *mask;

	s->holes = calloc(w->n, 1);
	s->nkept = w->n;
	if (!s->has_drop)
		return;
	if (s->mask.nbytes != (w->n + 7) / 8) {
		w->in.wrong = "length of the mask";
		return;
	}
	mask = bytes_of(&s->mask);
	for (size_t i = 0; i < w->n; i++) {
		s->holes[i] = mask[i / 8] >> i % 8 & 1;
		if (s->mask_stride > 0 && i >= s->mask_stride)
			s->holes[i] ^= s->holes[i - s->mask_stride];
		s->nkept -= s->holes[i];
	}
	free(mask);
}

static void count_kept(const struct work *w, struct splits *s)
{
	size_t kept = 0;

	s->upto = calloc(w->n + 1, sizeof(*s->upto));
	for (size_t i = 0; i < w->n; i++) {
		kept += !s->holes[i];
		s->upto[i] = kept;
	}
}

/* Section 7.4: X of all places, by the number of deltas before. */
static uint64_t bridged(const struct splits *s, const uint64_t *x, size_t place,
			unsigned ndeltas)
{
	size_t kept = s->upto[place];

	if (s->holes[place] && ndeltas > 0)
		return 0;
	return x[kept > 0 ? kept - 1 : 0];
}

static void undo_delta(const struct work *w, const struct splits *s,
		       uint32_t stride, unsigned ndeltas, uint64_t *x)
{
	unsigned shift = 64 - 8 * s->main.width;
	size_t kept = 0;

	for (size_t i = 0; i < w->n; i++) {
		if (s->holes[i])
			continue;
		if (i >= stride && kept > 0)
			x[kept] += bridged(s, x, i - stride, ndeltas);
		x[kept] = x[kept] << shift >> shift;
		kept++;
	}
}

/* The main part's elements, without holes. */
static uint64_t *main_of(struct work *w, const struct splits *s)
{
	const struct part *part = &s->main;
	unsigned ndeltas = 0;
	uint64_t *x;

	if (part->codec == CONTEXT)
		return elements_by_contexts(w, part, w->n, s->holes);
	x = calloc(s->nkept + 1, sizeof(*x));
	for (size_t i = 0; i < s->nkept; i++)
		x[i] = load(part, s->nkept, i);
	for (unsigned i = 0; i < part->nsteps; i++)
		ndeltas += part->ids[i] == 2;
	for (unsigned i = part->nsteps; i-- > 0;)
		if (part->ids[i] == 2)
			undo_delta(w, s, part->strides[i], --ndeltas, x);
		else
			invert(part->ids[i], 0, part->width, s->nkept, x);
	return x;
}

static uint64_t fraction_bits(const struct splits *s, unsigned width,
			      uint64_t q)
{
	uint64_t k = s->minimum + q * s->factor;
	double value = (double)(int64_t)k / s->divisor;
	float narrow;
	uint64_t bits;
	uint32_t narrow_bits;

	narrow = (float)value;
	memcpy(&bits, &value, 8);
	memcpy(&narrow_bits, &narrow, 4);
	return width == 4 ? narrow_bits : bits;
}

static void put_elements(struct work *w, const struct splits *s,
			 const uint64_t *x, const uint8_t *table, uint8_t *raw)
{
	size_t kept = 0;

	for (size_t i = 0; i < w->n; i++) {
		uint8_t *to = raw + i * w->width;

		if (s->holes[i]) {
			memcpy(to, s->value, w->width);
			continue;
		}
		if (s->has_palette && x[kept] >= s->table.nbytes / w->width)
			w->in.wrong = "rank";
		else if (s->has_palette)
			memcpy(to, table + x[kept] * w->width, w->width);
		else if (s->has_multiple)
			store_be(s->minimum + x[kept] * s->factor, w->width,
				 to);
		else if (s->has_fraction)
			store_be(fraction_bits(s, w->width, x[kept]), w->width,
				 to);
		else
			store_be(x[kept], w->width, to);
		kept++;
	}
}

static void put_exceptions(struct work *w, const struct splits *s, uint8_t *raw)
{
	uint8_t *places = bytes_of(&s->places), *values = bytes_of(&s->values);
	size_t count = s->places.nbytes / 4;

	if (s->values.nbytes != count * w->width)
		w->in.wrong = "exceptions";
	for (size_t i = 0; i < count && !w->in.wrong; i++) {
		size_t place = 0;

		for (unsigned k = 0; k < 4; k++)
			place = place * 256 + places[4 * i + k];
		if (place >= w->n)
			w->in.wrong = "place of an exception";
		else
			memcpy(raw + place * w->width, values + i * w->width,
			       w->width);
	}
	free(places);
	free(values);
}

static void join(struct work *w, struct splits *s, uint8_t *raw)
{
	uint8_t *table = bytes_of(&s->table);
	uint64_t *x = NULL;

	find_holes(w, s);
	count_kept(w, s);
	if (s->main.nbytes != s->nkept * s->main.width)
		w->in.wrong = "length of the main part";
	if (!w->in.wrong) {
		x = main_of(w, s);
		if (!w->in.wrong)
			put_elements(w, s, x, table, raw);
	}
	if (!w->in.wrong && s->has_exceptions)
		put_exceptions(w, s, raw);
	free(x);
	free(table);
}

static void decode_parts(struct work *w, unsigned nsplits, unsigned id,
			 uint8_t *raw)
{
	static const struct part no_part = { .width = 1 };
	struct splits s = { .mask = no_part,
			    .places = no_part,
			    .values = no_part,
			    .table = no_part };

	read_step(w, &s, id);
	if (nsplits > 1)
		read_step(w, &s, *take(&w->in, 1));
	if (!w->in.wrong)
		read_parts(w, &s);
	if (!w->in.wrong)
		open_parts(w, &s);
	if (!w->in.wrong)
		join(w, &s, raw);
	free(s.mask.coded);
	free(s.places.coded);
	free(s.values.coded);
	free(s.table.coded);
	free(s.main.coded);
	free(s.holes);
	free(s.upto);
}

static void decode_split(struct work *w, unsigned nsplits, uint8_t *raw)
{
	unsigned id;

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
	id = *take(&w->in, 1);
	if (nsplits > 2)
		w->in.wrong = "number of splitting steps";
	else if (id == 1 && nsplits == 1)
		decode_constant(w, raw);
	else
		decode_parts(w, nsplits, id, raw);
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
