/* SPDX-License-Identifier: MIT */
/*
 * Kernels for masks: where holes are, as a bit for each element, and as a byte.
 */
#include <string.h>

#include "base/bytes.h"
#include "filter/kernels.h"

#ifdef NC3Z_KERNELS_AVX2
#include "filter/kernels_avx2.h"
#else

/* Eight bits to eight bytes of 0 or 1. */
static uint64_t spread_bits(uint8_t bits)
{
	uint64_t x = bits;

	x = (x | x << 28) & UINT64_C(0x0000000f0000000f);
	x = (x | x << 14) & UINT64_C(0x0003000300030003);
	return (x | x << 7) & UINT64_C(0x0101010101010101);
}

/* Whole bytes of bits; returns how many bits that were. */
static size_t unpack_groups(const uint8_t *mask, size_t n, uint8_t *holes)
{
	size_t i;

	for (i = 0; i + 8 <= n; i += 8)
		store_le64(holes + i, spread_bits(mask[i / 8]));
	return i;
}

/* Adds up eight bytes at once; returns how many were looked at. */
static size_t count_groups(const uint8_t *bytes, size_t n, size_t *ones_ret)
{
	size_t ones = 0, i = 0;

	while (n - i >= 8) {
		uint64_t sums = 0;

		/* Eight sums side by side, none of which can pass 255. */
		for (unsigned k = 0; k < 255 && n - i >= 8; k++, i += 8)
			sums += load_le64(bytes + i);
		for (; sums > 0; sums >>= 8)
			ones += sums & 255;
	}
	*ones_ret = ones;
	return i;
}

#endif

static void unpack(const uint8_t *mask, size_t n, uint8_t *holes)
{
	for (size_t i = unpack_groups(mask, n, holes); i < n; i++)
		holes[i] = mask[i / 8] >> i % 8 & 1;
}

static void xor_bytes(uint8_t *restrict x, const uint8_t *restrict before,
		      size_t n)
{
	for (size_t i = 0; i < n; i++)
		x[i] ^= before[i];
}

static size_t count_ones(const uint8_t *bytes, size_t n)
{
	size_t ones, i;

	for (i = count_groups(bytes, n, &ones); i < n; i++)
		ones += bytes[i];
	return ones;
}

/* In pieces of one stride, which do not depend on themselves. */
static void unxor(uint8_t *holes, size_t n, size_t stride)
{
	for (size_t i = stride; i < n; i += stride)
		xor_bytes(holes + i, holes + i - stride,
			  n - i < stride ? n - i : stride);
}

const struct mask_kernels KERNEL_SET(mask_kernels) = {
	.unpack = unpack,
	.unxor = unxor,
	.count = count_ones,
};
