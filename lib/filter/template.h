/* SPDX-License-Identifier: MIT */
/*
 * Templates of functions for one width of element.  A file of them defines
 * functions as "NAME(add)(elem *x, ...)"; it is included once for each width,
 * with BITS defined as 8, 16, 32 or 64, which it undefines in the end.
 */
#ifndef NC3Z_FILTER_TEMPLATE_H
#define NC3Z_FILTER_TEMPLATE_H

#include <stdint.h>

#define TEMPLATE_PASTE(a, b, c) a##b##c
#define TEMPLATE_JOIN(a, b, c) TEMPLATE_PASTE(a, b, c)

/* An unsigned integer of BITS bits, and a function for such. */
#define elem TEMPLATE_JOIN(uint, BITS, _t)
#define NAME(name) TEMPLATE_JOIN(name, _, BITS)

#endif
