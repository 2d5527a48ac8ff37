/* SPDX-License-Identifier: MIT */
/* Big-endian values of a classic file that try conversions. */
#ifndef UNIT_EDGE_VALUES_H
#define UNIT_EDGE_VALUES_H

#include "blob.h"

/*
 * Appends values of a type: around the limits of all types and where reals
 * lose integers; for reals also infinities, NaNs, denormals, both zeros.
 */
void edge_values(uint32_t type, struct blob *out);

/* Appends 'n' values: random bits and random numbers of all sizes. */
void random_values(uint32_t type, size_t n, uint64_t *seed, struct blob *out);

/* Appends 'n' numbers from 0 to 100, those of reals with fractions. */
void plain_values(uint32_t type, size_t n, struct blob *out);

#endif
