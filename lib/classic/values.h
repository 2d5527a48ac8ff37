/* SPDX-License-Identifier: MIT */
/*
 * Values of a classic file, as numbers of the reader's machine: big-endian
 * bytes of one type in, C values of the same or another type out, with the
 * results and complaints of libnetcdf 4.9.0.
 */
#ifndef NC3Z_CLASSIC_VALUES_H
#define NC3Z_CLASSIC_VALUES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "classic/types.h"

struct values_unpacking;

/*
 * Types in a file have fixed sizes, those of C are named by the same numbers:
 * BYTE is signed char, CHAR char, SHORT short, INT int, UBYTE unsigned char,
 * USHORT unsigned short, UINT unsigned, INT64 long long, UINT64 unsigned long
 * long.
 */
struct values_conversion {
	enum classic_type from; /* in the file */
	enum classic_type to;   /* in memory */
	/* Whether BYTE as UBYTE has a range: in CDF-5, not in CDF-1 and -2. */
	bool checks_ubyte;
	/* NULL, or how values are unpacked, to FLOAT or DOUBLE (unpack.h). */
	const struct values_unpacking *unpacking;
};

/*
 * Which values go where.  Steps are counted in elements, from one to the next:
 * 1 if they are adjacent; that of the output may be 0 or negative.  Addresses
 * need no alignment; input and output do not overlap.
 */
struct values_run {
	const uint8_t *in; /* the first value */
	size_t in_step;
	void *out; /* where the first value goes */
	ptrdiff_t out_step;
	size_t n;
};

/* Whether there is a conversion: text and numbers do not mix. */
bool values_convertible(enum classic_type from, enum classic_type to);

/* Bytes of one C value. */
size_t values_native_nbytes(enum classic_type to);

/*
 * Converts a run of values; 'conversion' must be convertible.  Returns whether
 * each fitted the type in memory.  If one did not, the others are converted
 * all the same, and its place holds:
 * - integer to integer: the low-order bits;
 * - FLOAT or DOUBLE to integer: what was there before;
 * - DOUBLE to FLOAT: the largest float, with its sign.
 * Fractions are cut off, but -0.5 does not fit an unsigned type and 127.5 does
 * not fit BYTE.  2^63 fits INT64 and 2^64 UINT64, as the greatest value.  NaN
 * fits everything; as an integer it is 0, INT_MIN, LLONG_MIN or (UINT64) 2^63.
 */
bool values_convert(const struct values_conversion *conversion,
		    const struct values_run *run);

#endif
