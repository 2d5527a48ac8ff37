/* SPDX-License-Identifier: MIT */
/*
 * Arrays from one byte order to the other.  Like the kernels of
 * filter/kernels.h, these are compiled once more for processors with AVX2.
 */
#ifndef NC3Z_BASE_BYTE_ORDER_H
#define NC3Z_BASE_BYTE_ORDER_H

#include <stddef.h>
#include <stdint.h>

/* Between the byte order of memory and big-endian. */
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define BIG_ENDIAN_8(x) (x)
#define BIG_ENDIAN_16(x) __builtin_bswap16(x)
#define BIG_ENDIAN_32(x) __builtin_bswap32(x)
#define BIG_ENDIAN_64(x) __builtin_bswap64(x)
#else
#define BIG_ENDIAN_8(x) (x)
#define BIG_ENDIAN_16(x) (x)
#define BIG_ENDIAN_32(x) (x)
#define BIG_ENDIAN_64(x) (x)
#endif

/*
 * Reverses the bytes of each of n integers of 1, 2, 4 or 8 bytes.  Both arrays
 * may lie at any address; they are the same or do not overlap.
 */
typedef void byte_order_fn(uint8_t width, const void *from, size_t n, void *to);
byte_order_fn byte_order_reverse;

/* The same, if integers in memory are not big-endian, or little-endian. */
byte_order_fn byte_order_big;
byte_order_fn byte_order_little;

/* The two between which byte_order_reverse() chooses. */
byte_order_fn byte_order_reverse_plain;
byte_order_fn byte_order_reverse_avx2;

#endif
