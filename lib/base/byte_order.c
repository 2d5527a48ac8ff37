/* SPDX-License-Identifier: MIT */
#include "base/byte_order.h"

#include <string.h>

#ifdef NC3Z_KERNELS_AVX2
#define REVERSE byte_order_reverse_avx2
#else
#define REVERSE byte_order_reverse_plain
#endif

/* Two loops, as compilers make vector code of arrays that are the same, or
 * that surely do not overlap. */
#define DEFINE_REVERSE(bits) \
	static void copy_##bits(const uint8_t *restrict from, size_t n, \
				uint8_t *restrict to) \
	{ \
		uint##bits##_t x; \
\
		for (size_t i = 0; i < n; i++) { \
			memcpy(&x, from + i * sizeof(x), sizeof(x)); \
			x = __builtin_bswap##bits(x); \
			memcpy(to + i * sizeof(x), &x, sizeof(x)); \
		} \
	} \
\
	static void reverse_##bits(const uint8_t *from, size_t n, uint8_t *to) \
	{ \
		uint##bits##_t x; \
\
		if (from != to) { \
			copy_##bits(from, n, to); \
			return; \
		} \
		for (size_t i = 0; i < n; i++) { \
			memcpy(&x, to + i * sizeof(x), sizeof(x)); \
			x = __builtin_bswap##bits(x); \
			memcpy(to + i * sizeof(x), &x, sizeof(x)); \
		} \
	}

DEFINE_REVERSE(16)
DEFINE_REVERSE(32)
DEFINE_REVERSE(64)

void REVERSE(uint8_t width, const void *from, size_t n, void *to)
{
	switch (width) {
	case 2:
		reverse_16(from, n, to);
		break;
	case 4:
		reverse_32(from, n, to);
		break;
	case 8:
		reverse_64(from, n, to);
		break;
	default:
		memmove(to, from, n);
	}
}

#ifndef NC3Z_KERNELS_AVX2

void byte_order_reverse(uint8_t width, const void *from, size_t n, void *to)
{
#ifdef NC3Z_HAVE_AVX2
	if (__builtin_cpu_supports("avx2")) {
		byte_order_reverse_avx2(width, from, n, to);
		return;
	}
#endif
	byte_order_reverse_plain(width, from, n, to);
}

static void keep_order(uint8_t width, const void *from, size_t n, void *to)
{
	if (from != to)
		memcpy(to, from, n * width);
}

void byte_order_big(uint8_t width, const void *from, size_t n, void *to)
{
	(BIG_ENDIAN_16(1) == 1 ? keep_order : byte_order_reverse)(width, from,
								  n, to);
}

void byte_order_little(uint8_t width, const void *from, size_t n, void *to)
{
	(BIG_ENDIAN_16(1) == 1 ? byte_order_reverse : keep_order)(width, from,
								  n, to);
}

#endif
