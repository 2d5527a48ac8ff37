/* SPDX-License-Identifier: MIT */
/* Sorting integers by their bytes: in time that grows with their number. */
#ifndef NC3Z_FILTER_KEY_SORT_H
#define NC3Z_FILTER_KEY_SORT_H

#include <stddef.h>
#include <stdint.h>

/*
 * Sorts n keys, of which the 'width' low bytes count, in ascending order.
 * 'spare' has room for as many; the result is in one of both, the other is
 * overwritten.
 */
uint64_t *key_sort(uint64_t *keys, uint64_t *spare, size_t n, uint8_t width);

#endif
