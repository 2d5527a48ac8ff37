/* SPDX-License-Identifier: MIT */
/*
 * A run is converted in pieces of a few hundred values, small enough to stay
 * in the first cache, in two steps:
 *
 *	bytes in the file --load--> C values of the same type --convert--> out
 *
 * The loads know byte order and input step, one for each width of value; the
 * converters (converters.h) know the two types and the output step.  Where
 * nothing is to be converted and the output has no gaps, the load writes
 * straight to it.  Packed values become doubles between the two steps.
 */
#include "classic/values.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/byte_order.h"
#include "classic/converters.h"
#include "classic/unpack.h"

#define PIECE_NELEMS 512

/* Values with gaps between them. */
#define DEFINE_LOAD(bits) \
	static void load_##bits(const uint8_t *restrict in, size_t step, \
				uint8_t *restrict out, size_t n) \
	{ \
		for (size_t i = 0; i < n; i++) { \
			uint##bits##_t x; \
\
			memcpy(&x, in + i * step * sizeof(x), sizeof(x)); \
			x = BIG_ENDIAN_##bits(x); \
			memcpy(out + i * sizeof(x), &x, sizeof(x)); \
		} \
	}

DEFINE_LOAD(8)
DEFINE_LOAD(16)
DEFINE_LOAD(32)
DEFINE_LOAD(64)

/* Adjacent C values of the same type as in the file. */
static void load_values(const struct values_run *run, uint8_t nbytes,
			uint8_t *out)
{
	if (run->in_step == 1)
		byte_order_big(nbytes, run->in, run->n, out);
	else if (nbytes == 1)
		load_8(run->in, run->in_step, out, run->n);
	else if (nbytes == 2)
		load_16(run->in, run->in_step, out, run->n);
	else if (nbytes == 4)
		load_32(run->in, run->in_step, out, run->n);
	else
		load_64(run->in, run->in_step, out, run->n);
}

bool values_convertible(enum classic_type from, enum classic_type to)
{
	return classic_type_nbytes(from) != 0 && classic_type_nbytes(to) != 0 &&
	       (from == CLASSIC_CHAR) == (to == CLASSIC_CHAR);
}

size_t values_native_nbytes(enum classic_type to)
{
	return classic_type_nbytes(to);
}

/*
 * An integer type that keeps the bits of a type, where none are converted:
 * passing through a float register may change a signalling NaN.
 */
static enum classic_type type_of_bits(enum classic_type type)
{
	switch (type) {
	case CLASSIC_CHAR:
		return CLASSIC_UBYTE;
	case CLASSIC_FLOAT:
		return CLASSIC_UINT;
	case CLASSIC_DOUBLE:
		return CLASSIC_UINT64;
	default:
		return type;
	}
}

/* Unpacks what was loaded, in its place. */
static void unpack(const struct values_unpacking *unpacking, uint8_t *values,
		   size_t n)
{
	double unpacked[PIECE_NELEMS];

	values_unpack(unpacking, values, unpacked, n);
	memcpy(values, unpacked, n * sizeof(*unpacked));
}

/*
 * libnetcdf's floats have no infinity that was a double; unpacking finds those
 * of the variable itself, which is float more often than not.
 */
static bool keep_infinite(const uint8_t *unpacked, uint8_t *out, ptrdiff_t step,
			  size_t n)
{
	bool fits = true;

	for (size_t i = 0; i < n; i++) {
		double x;
		float y;

		memcpy(&x, unpacked + i * sizeof(x), sizeof(x));
		y = (float)x;
		if (isinf(x))
			memcpy(out + (ptrdiff_t)i * step * (ptrdiff_t)sizeof(y),
			       &y, sizeof(y));
		else
			fits &= !(x > (double)FLT_MAX) &&
				!(x < -(double)FLT_MAX);
	}
	return fits;
}

/* Reduces cases that give the same results to one. */
static void simplify(struct values_conversion *c, struct values_run *run)
{
	if (c->from == CLASSIC_BYTE && c->to == CLASSIC_UBYTE &&
	    !c->checks_ubyte)
		c->from = CLASSIC_UBYTE;
	if (c->from == c->to)
		c->from = c->to = type_of_bits(c->to);
	if (run->n == 1) {
		run->in_step = 1;
		run->out_step = 1;
	}
}

bool values_convert(const struct values_conversion *conversion,
		    const struct values_run *run)
{
	struct values_conversion c = *conversion;
	struct values_run piece = *run;
	_Alignas(64) uint8_t values[PIECE_NELEMS * sizeof(uint64_t)];
	uint8_t in_nbytes = classic_type_nbytes(c.from), *out;
	bool fits = true, piece_fits;

	assert(values_convertible(c.from, c.to));
	if (run->n == 0)
		return true;
	if (c.unpacking)
		c.from = CLASSIC_DOUBLE;
	simplify(&c, &piece);
	if (!c.unpacking && c.from == c.to && piece.out_step == 1) {
		load_values(&piece, in_nbytes, piece.out);
		return true;
	}
	for (size_t i = 0; i < run->n; i += piece.n) {
		ptrdiff_t offset = (ptrdiff_t)i * piece.out_step *
				   (ptrdiff_t)values_native_nbytes(c.to);

		piece.in = run->in + i * piece.in_step * in_nbytes;
		piece.n = run->n - i < PIECE_NELEMS ? run->n - i : PIECE_NELEMS;
		load_values(&piece, in_nbytes, values);
		if (c.unpacking)
			unpack(c.unpacking, values, piece.n);
		out = (uint8_t *)run->out + offset;
		piece_fits = converter_of(c.from, c.to)(
			values, out, piece.out_step, piece.n);
		if (!piece_fits && c.unpacking && c.to == CLASSIC_FLOAT)
			piece_fits = keep_infinite(values, out, piece.out_step,
						   piece.n);
		fits &= piece_fits;
	}
	return fits;
}
