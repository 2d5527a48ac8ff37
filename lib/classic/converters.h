/* SPDX-License-Identifier: MIT */
/*
 * The arithmetic of values.h: C values of one number type into those of
 * another, one function for each pair of types.
 */
#ifndef NC3Z_CLASSIC_CONVERTERS_H
#define NC3Z_CLASSIC_CONVERTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "classic/types.h"

/*
 * Converts 'n' adjacent values at 'in' and puts them at 'out', 'step' elements
 * of their type apart; neither address need be aligned, and they do not
 * overlap.  Returns whether all fitted; what misfits leave is in values.h.
 */
typedef bool converter_fn(const uint8_t *in, uint8_t *out, ptrdiff_t step,
			  size_t n);

/* NULL for CHAR, and for FLOAT or DOUBLE as the same: nothing to convert. */
converter_fn *converter_of(enum classic_type from, enum classic_type to);

#endif
