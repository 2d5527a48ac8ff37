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
#include <string.h>

#include "classic/converters.h"
#include "classic/unpack.h"

#define PIECE_NELEMS 512

/*
 * Two values of 32 bits are swapped as one of 64: where the vectoriser has no
 * shuffle of bytes, half as many instructions.
 */
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define FROM_BE_16(x) __builtin_bswap16(x)
#define FROM_BE_32(x) __builtin_bswap32(x)
#define FROM_BE_64(x) __builtin_bswap64(x)
#define FROM_BE_PAIR(x) (FROM_BE_64(x) >> 32 | FROM_BE_64(x) << 32)
#else
#define FROM_BE_16(x) (x)
#define FROM_BE_32(x) (x)
#define FROM_BE_64(x) (x)
#define FROM_BE_PAIR(x) (x)
#endif

/* Inlined to have a loop of its own for each step that is a constant. */
#define INLINE static inline __attribute__((always_inline))

#define DEFINE_LOAD(name, type, CONVERT) \
	INLINE void load_steps_##name(const uint8_t *restrict in, size_t step, \
				      uint8_t *restrict out, size_t n) \
	{ \
		for (size_t i = 0; i < n; i++) { \
			type x; \
\
			memcpy(&x, in + i * step * sizeof(x), sizeof(x)); \
			x = CONVERT(x); \
			memcpy(out + i * sizeof(x), &x, sizeof(x)); \
		} \
	} \
\
	static void load_##name(const uint8_t *in, size_t step, uint8_t *out, \
				size_t n) \
	{ \
		if (step == 1) \
			load_steps_##name(in, 1, out, n); \
		else \
			load_steps_##name(in, step, out, n); \
	} \
\
	static void swap_##name(uint8_t *values, size_t n) \
	{ \
		for (size_t i = 0; i < n; i++) { \
			type x; \
\
			memcpy(&x, values + i * sizeof(x), sizeof(x)); \
			x = CONVERT(x); \
			memcpy(values + i * sizeof(x), &x, sizeof(x)); \
		} \
	}

DEFINE_LOAD(16, uint16_t, FROM_BE_16)
DEFINE_LOAD(32, uint32_t, FROM_BE_32)
DEFINE_LOAD(64, uint64_t, FROM_BE_64)
DEFINE_LOAD(pairs, uint64_t, FROM_BE_PAIR)

static void load_8(const uint8_t *in, size_t step, uint8_t *out, size_t n)
{
	if (step == 1)
		memcpy(out, in, n);
	else
		for (size_t i = 0; i < n; i++)
			out[i] = in[i * step];
}

/* Adjacent C values of the same type as in the file. */
static void load(const struct values_run *run, uint8_t nbytes, uint8_t *out)
{
	size_t npairs;

	switch (nbytes) {
	case 1:
		load_8(run->in, run->in_step, out, run->n);
		break;
	case 2:
		load_16(run->in, run->in_step, out, run->n);
		break;
	case 4:
		npairs = run->in_step == 1 ? run->n / 2 : 0;
		load_pairs(run->in, 1, out, npairs);
		load_32(run->in + 8 * npairs, run->in_step, out + 8 * npairs,
			run->n - 2 * npairs);
		break;
	default:
		load_64(run->in, run->in_step, out, run->n);
	}
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
	uint8_t in_nbytes = classic_type_nbytes(c.from);
	bool fits = true;

	assert(values_convertible(c.from, c.to));
	if (run->n == 0)
		return true;
	if (c.unpacking)
		c.from = CLASSIC_DOUBLE;
	simplify(&c, &piece);
	if (!c.unpacking && c.from == c.to && piece.out_step == 1) {
		load(&piece, in_nbytes, piece.out);
		return true;
	}
	for (size_t i = 0; i < run->n; i += piece.n) {
		ptrdiff_t offset = (ptrdiff_t)i * piece.out_step *
				   (ptrdiff_t)values_native_nbytes(c.to);

		piece.in = run->in + i * piece.in_step * in_nbytes;
		piece.n = run->n - i < PIECE_NELEMS ? run->n - i : PIECE_NELEMS;
		load(&piece, in_nbytes, values);
		if (c.unpacking)
			unpack(c.unpacking, values, piece.n);
		fits &= converter_of(c.from, c.to)(values,
						   (uint8_t *)run->out + offset,
						   piece.out_step, piece.n);
	}
	return fits;
}

void values_swap_in_place(enum classic_type type, void *values, size_t n)
{
	switch (classic_type_nbytes(type)) {
	case 2:
		swap_16(values, n);
		break;
	case 4:
		swap_pairs(values, n / 2);
		if (n % 2)
			swap_32((uint8_t *)values + (n - 1) * 4, 1);
		break;
	case 8:
		swap_64(values, n);
		break;
	}
}
