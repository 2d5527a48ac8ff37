/* SPDX-License-Identifier: MIT */
#include "context_definition.h"

#include <stdlib.h>
#include <zstd.h>

#define SYMBOLS 63
#define LANES 4

/* Bytes that are taken one after the other; 'wrong' stays once it is set. */
struct bytes {
	const uint8_t *p;
	size_t left;
	const char *wrong;
};

static const uint8_t *take(struct bytes *in, uint64_t n)
{
	const uint8_t *p = in->p;

	if (in->wrong || n > in->left) {
		in->wrong = "length";
		return NULL;
	}
	in->p += n;
	in->left -= (size_t)n;
	return p;
}

static uint64_t take_number(struct bytes *in, unsigned width)
{
	const uint8_t *p = take(in, width);
	uint64_t x = 0;

	for (unsigned i = width; p && i-- > 0;)
		x = x << 8 | p[i];
	return x;
}

/* A model, and the places of a block. */
struct work {
	const struct filter_elems *shape;
	uint64_t base;
	int64_t row, plane_rows, nrows; /* R, H */
	bool has_planes;
	unsigned npredictors, ntables, nlevels;
	unsigned ncoefficients, nweights;
	const uint8_t *weights, *constants, *coefficients, *tiles, *map;
	uint16_t frequencies[32][SYMBOLS];
	int32_t *v, *d; /* V and D of all places */
};

static int64_t div_up(int64_t a, int64_t b)
{
	return (a + b - 1) / b;
}

static int64_t floor_div(int64_t a, int64_t b)
{
	return a / b - (a % b < 0);
}

/* Whether 'count' bytes are less than 'end'. */
static bool are_below(const uint8_t *bytes, size_t count, unsigned end)
{
	for (size_t i = 0; bytes && i < count; i++)
		if (bytes[i] >= end)
			return false;
	return bytes != NULL;
}

static const char *read_head(struct bytes *in, struct work *w)
{
	const unsigned width = w->shape->width;
	const int64_t n = (int64_t)w->shape->n;
	uint64_t row, plane_rows;

	w->base = take_number(in, 8);
	row = take_number(in, 4);
	plane_rows = take_number(in, 4);
	w->npredictors = (unsigned)take_number(in, 1);
	w->ntables = (unsigned)take_number(in, 1);
	w->nlevels = (unsigned)take_number(in, 1);
	if (width < 8 && w->base >> 8 * width != 0)
		return "base";
	if (row < 16 || (int64_t)row > n)
		return "R";
	if (w->npredictors < 1 || w->npredictors > 16 || w->ntables < 1 ||
	    w->ntables > 32 || w->nlevels < 1 || w->nlevels > 48)
		return "K, number of tables or Q";
	w->row = (int64_t)row;
	w->nrows = div_up(n, w->row);
	w->has_planes = plane_rows > 0;
	w->plane_rows = w->has_planes ? (int64_t)plane_rows :
					div_up(w->nrows, 4);
	w->ncoefficients = w->has_planes ? 14 : 8;
	w->nweights = w->has_planes ? 9 : 6;
	return in->wrong;
}

static int64_t count_tiles(const struct work *w)
{
	int64_t count = 0;

	for (int64_t r = 0; r < w->nrows; r += w->plane_rows) {
		int64_t left = w->nrows - r;

		count +=
			div_up(left < w->plane_rows ? left : w->plane_rows, 8) *
			div_up(w->row, 16);
	}
	return count;
}

static int32_t coefficient(const struct work *w, unsigned number, unsigned i)
{
	const uint8_t *p =
		w->coefficients + 2 * (number * w->ncoefficients + i);

	return (int16_t)(p[0] | p[1] << 8);
}

static const char *read_predictors(struct bytes *in, struct work *w)
{
	size_t ntiles;

	w->weights = take(in, w->nweights);
	if (!are_below(w->weights, w->nweights, 32))
		return "weights";
	w->constants = take(in, 4 * w->npredictors);
	w->coefficients =
		take(in, (uint64_t)2 * w->ncoefficients * w->npredictors);
	if (!w->coefficients)
		return in->wrong;
	for (unsigned i = 0; i < w->npredictors; i++)
		for (unsigned k = 0; k < w->ncoefficients; k++)
			if (coefficient(w, i, k) > 4096 ||
			    coefficient(w, i, k) < -4096)
				return "coefficients";
	if (w->npredictors == 1)
		return NULL;
	ntiles = (size_t)count_tiles(w);
	w->tiles = take(in, ntiles);
	return are_below(w->tiles, ntiles, w->npredictors) ? NULL : "tiles";
}

static const char *read_tables(struct bytes *in, struct work *w)
{
	const uint8_t *low, *high;

	w->map = take(in, 12 * w->nlevels);
	if (!are_below(w->map, (size_t)12 * w->nlevels, w->ntables))
		return "map";
	low = take(in, SYMBOLS * w->ntables);
	high = take(in, SYMBOLS * w->ntables);
	if (!high)
		return in->wrong;
	for (unsigned i = 0; i < w->ntables; i++) {
		unsigned sum = 0;

		for (unsigned k = 0; k < SYMBOLS; k++) {
			unsigned at = SYMBOLS * i + k;
			unsigned f = low[at] + 256u * high[at];

			if (f > 1024)
				return "frequency";
			sum += f;
			w->frequencies[i][k] = (uint16_t)f;
		}
		if (sum != 1024)
			return "sum of frequencies";
	}
	return in->left == 0 ? NULL : "length of the model";
}

/* G of the specification. */
static int32_t at(const struct work *w, const int32_t *g, int64_t z, int64_t y,
		  int64_t x)
{
	if (x < 0)
		return at(w, g, z, y, 0);
	if (x >= w->row)
		return at(w, g, z, y, w->row - 1);
	if (y < 0 && z > 0 && w->has_planes)
		return at(w, g, z - 1, 0, x);
	if (y < 0 || z < 0)
		return 0;
	if (y >= w->plane_rows)
		return at(w, g, z, w->plane_rows - 1, x);
	return g[(z * w->plane_rows + y) * w->row + x];
}

/* The neighbours in the order of the coefficients, and their number. */
static unsigned neighbours(const struct work *w, const int32_t *g, int64_t z,
			   int64_t y, int64_t x, int32_t *out)
{
	out[0] = x < 1 ? at(w, g, z, y - 1, 0) : at(w, g, z, y, x - 1);
	out[1] = x < 2 ? at(w, g, z, y - 1, 0) : at(w, g, z, y, x - 2);
	out[2] = at(w, g, z, y - 1, x);
	out[3] = at(w, g, z, y - 1, x - 1);
	out[4] = at(w, g, z, y - 1, x + 1);
	out[5] = at(w, g, z, y - 2, x);
	out[6] = at(w, g, z, y - 1, x + 2);
	out[7] = at(w, g, z, y - 1, x - 2);
	if (!w->has_planes)
		return 8;
	out[8] = at(w, g, z - 1, y, x);
	out[9] = at(w, g, z - 1, y, x - 1);
	out[10] = at(w, g, z - 1, y - 1, x);
	out[11] = at(w, g, z - 1, y, x + 1);
	out[12] = at(w, g, z - 1, y + 1, x);
	out[13] = at(w, g, z - 1, y - 1, x - 1);
	return 14;
}

/* p, with the predictor of the tile. */
static int64_t predict(const struct work *w, int64_t z, int64_t y, int64_t x)
{
	int64_t tile =
		(z * div_up(w->plane_rows, 8) + y / 8) * div_up(w->row, 16) +
		x / 16;
	unsigned number = w->tiles ? w->tiles[tile] : 0, count;
	const uint8_t *c = w->constants + 4 * number;
	uint64_t p = 256;
	int32_t v[14];

	for (unsigned i = 0; i < 4; i++)
		p += (uint64_t)c[i] << 8 * i;
	count = neighbours(w, w->v, z, y, x, v);
	for (unsigned i = 0; i < count; i++)
		p += (uint64_t)((int64_t)coefficient(w, number, i) * v[i]);
	p %= UINT64_C(1) << 32;
	return p >> 31 ? (int64_t)p - (INT64_C(1) << 32) : (int64_t)p;
}

/* The table of an element. */
static unsigned table_of(const struct work *w, int64_t z, int64_t y, int64_t x,
			 int64_t p)
{
	/* Of the neighbours' D, those that have weights. */
	static const unsigned weighed[] = { 0, 1, 2, 3, 4, 5, 8, 11, 12 };
	int64_t activity = 0, t;
	unsigned b = 0, level, sign, f = (unsigned)(floor_div(p, 128) & 3);
	int32_t d[14];

	neighbours(w, w->d, z, y, x, d);
	for (unsigned i = 0; i < w->nweights; i++)
		activity += w->weights[i] * (int64_t)abs(d[weighed[i]]);
	while ((activity + 2) >> (b + 1) > 0)
		b++;
	level = 2 * b - 2 + (unsigned)((activity + 2) >> (b - 1) & 1);
	if (level > w->nlevels - 1)
		level = w->nlevels - 1;
	t = activity / 32;
	sign = d[0] < -t ? 0 : d[0] > t ? 2 : 1;
	return w->map[12 * level + 4 * sign + f];
}

static void define_elem(struct work *w, size_t i, struct context_source *source,
			uint64_t *elems)
{
	int64_t r = (int64_t)i / w->row, x = (int64_t)i % w->row;
	int64_t z = r / w->plane_rows, y = r % w->plane_rows, p;
	const unsigned bits = 8 * w->shape->width;
	uint64_t q;
	int32_t d;

	if (i >= w->shape->n || (w->shape->holes && w->shape->holes[i])) {
		w->v[i] = x < 1 ? at(w, w->v, z, y - 1, 0) : w->v[i - 1];
		w->d[i] = x < 1 ? at(w, w->d, z, y - 1, 0) : w->d[i - 1];
	} else {
		p = predict(w, z, y, x);
		d = source->next(source, (unsigned)(z % LANES),
				 w->frequencies[table_of(w, z, y, x, p)]);
		w->v[i] = (int32_t)((floor_div(p, 512) + d) & 0xffff);
		w->d[i] = (int16_t)(uint16_t)d;
	}
	if (i >= w->shape->n)
		return;
	q = w->base + (uint64_t)w->v[i];
	elems[i] = bits < 64 ? q & ((UINT64_C(1) << bits) - 1) : q;
}

const char *context_define(const uint8_t *model, size_t model_nbytes,
			   const struct filter_elems *shape,
			   struct context_source *source, uint64_t *elems)
{
	struct bytes in = { model, model_nbytes, NULL };
	struct work w = { .shape = shape };
	const char *wrong = read_head(&in, &w);
	size_t nplaces;

	if (!wrong)
		wrong = read_predictors(&in, &w);
	if (!wrong)
		wrong = read_tables(&in, &w);
	if (wrong)
		return wrong;
	nplaces = (size_t)(w.nrows * w.row);
	w.v = calloc(nplaces, sizeof(*w.v));
	w.d = calloc(nplaces, sizeof(*w.d));
	if (!w.v || !w.d)
		abort();
	for (size_t i = 0; i < nplaces && !source->wrong; i++)
		define_elem(&w, i, source, elems);
	free(w.v);
	free(w.d);
	return source->wrong;
}

uint32_t context_define_symbol(unsigned k, unsigned *nbits_ret,
			       bool *is_negative_ret)
{
	static const int8_t exact[] = { 0, 1, -1, 2, -2, 3, -3 };
	unsigned j = k - 7, e = j / 4 + 1;

	*nbits_ret = k < 7 ? 0 : e;
	*is_negative_ret = k < 7 ? exact[k] < 0 : j & 1;
	return k < 7 ? (uint32_t)abs(exact[k]) : (2 + (j >> 1 & 1)) << e;
}

struct lane {
	uint32_t state;
	uint64_t nwords, nbytes;
	struct bytes words, bits;
	unsigned bit; /* of the first byte of those */
};

struct reader {
	struct context_source source;
	struct lane lanes[LANES];
};

static unsigned take_bit(struct lane *lane)
{
	unsigned bit;

	if (lane->bits.left == 0) {
		lane->bits.wrong = "raw bits";
		return 0;
	}
	bit = *lane->bits.p >> lane->bit & 1;
	if (++lane->bit == 8) {
		take(&lane->bits, 1);
		lane->bit = 0;
	}
	return bit;
}

static int32_t next(struct context_source *source, unsigned number,
		    const uint16_t *frequencies)
{
	struct lane *lane = &((struct reader *)source)->lanes[number];
	unsigned k = 0, sum = 0, low = lane->state % 1024, nbits;
	bool is_negative;
	uint32_t magnitude, rest = 0;

	while (low >= sum + frequencies[k])
		sum += frequencies[k++];
	lane->state = frequencies[k] * (lane->state / 1024) + low - sum;
	if (lane->state < 65536)
		lane->state = 65536 * lane->state +
			      (uint32_t)take_number(&lane->words, 2);
	magnitude = context_define_symbol(k, &nbits, &is_negative);
	for (unsigned i = 0; i < nbits; i++)
		rest |= take_bit(lane) << i;
	magnitude += rest;
	if (lane->words.wrong || lane->bits.wrong)
		source->wrong = "end of a lane";
	return is_negative ? -(int32_t)magnitude : (int32_t)magnitude;
}

static const char *open_lanes(struct bytes *in, struct reader *r)
{
	for (unsigned i = 0; i < LANES; i++) {
		r->lanes[i].state = (uint32_t)take_number(in, 4);
		r->lanes[i].nwords = take_number(in, 4);
		r->lanes[i].nbytes = take_number(in, 4);
		if (r->lanes[i].state < 65536)
			return "state of a lane";
	}
	for (unsigned i = 0; i < LANES; i++) {
		r->lanes[i].words.left = (size_t)(2 * r->lanes[i].nwords);
		r->lanes[i].words.p = take(in, 2 * r->lanes[i].nwords);
	}
	for (unsigned i = 0; i < LANES; i++) {
		r->lanes[i].bits.left = (size_t)r->lanes[i].nbytes;
		r->lanes[i].bits.p = take(in, r->lanes[i].nbytes);
	}
	return in->wrong || in->left == 0 ? in->wrong : "length of the lanes";
}

static const char *close_lanes(const struct reader *r)
{
	for (unsigned i = 0; i < LANES; i++) {
		const struct lane *lane = &r->lanes[i];

		if (lane->state != 65536 || lane->words.left > 0)
			return "words that are left";
		if (lane->bits.left > (lane->bit > 0) ||
		    (lane->bit > 0 && *lane->bits.p >> lane->bit != 0))
			return "raw bits that are left";
	}
	return NULL;
}

const char *context_define_lanes(const uint8_t *model, size_t model_nbytes,
				 const uint8_t *lanes, size_t lanes_nbytes,
				 const struct filter_elems *shape,
				 uint64_t *elems)
{
	struct reader r = { .source.next = next };
	struct bytes in = { lanes, lanes_nbytes, NULL };
	const char *wrong = open_lanes(&in, &r);

	if (!wrong)
		wrong = context_define(model, model_nbytes, shape, &r.source,
				       elems);
	return wrong ? wrong : close_lanes(&r);
}

const char *context_define_stored(const uint8_t *stored, size_t stored_nbytes,
				  const struct filter_elems *shape,
				  uint64_t *elems)
{
	struct bytes in = { stored, stored_nbytes, NULL };
	uint64_t frame_nbytes = take_number(&in, 4);
	const uint8_t *frame = take(&in, frame_nbytes);
	unsigned long long nbytes;
	uint8_t *model;
	const char *wrong = "model";

	if (!frame)
		return in.wrong;
	nbytes = ZSTD_getFrameContentSize(frame, (size_t)frame_nbytes);
	/* More than any model has. */
	if (nbytes > 8192 + shape->n)
		return wrong;
	model = malloc((size_t)nbytes + 1);
	if (!model)
		abort();
	if (ZSTD_decompress(model, (size_t)nbytes, frame,
			    (size_t)frame_nbytes) == nbytes)
		wrong = context_define_lanes(model, (size_t)nbytes, in.p,
					     in.left, shape, elems);
	free(model);
	return wrong;
}
