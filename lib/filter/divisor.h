/* SPDX-License-Identifier: MIT */
/* The integer by which floating-point numbers become integers. */
#ifndef NC3Z_FILTER_DIVISOR_H
#define NC3Z_FILTER_DIVISOR_H

#include <stddef.h>
#include <stdint.h>

#define DIVISOR_NSAMPLES_MAX 512
/* One number of a sample in so many may be no integer. */
#define DIVISOR_MISFITS 16
/* Numbers of a sample that are looked at together. */
#define DIVISOR_PIECE 64

/*
 * Finds the smallest divisor with which nearly all of n IEEE 754 numbers of
 * 'width' bytes (4 or 8; at most DIVISOR_NSAMPLES_MAX) are integers, if that
 * says something: numbers k / divisor must lie at least twice as far apart
 * as numbers of this width do.  0 if there is none.
 */
uint64_t divisor_find(uint8_t width, const void *elems, size_t n);

#endif
