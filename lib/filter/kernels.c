/* SPDX-License-Identifier: MIT */
/* The kernels of kernels_template.h for elements of 1, 2, 4 and 8 bytes. */
#include "filter/kernels.h"

#include <string.h>

#ifdef NC3Z_KERNELS_AVX2
#include "filter/kernels_avx2.h"
#define SUM_GROUPS(bits, x, n) TEMPLATE_JOIN(sum_groups, _, bits)(x, n)
#else
#define SUM_GROUPS(bits, x, n) 0
#endif

#define BSWAP_8(x) (x)
#define BSWAP_16(x) __builtin_bswap16(x)
#define BSWAP_32(x) __builtin_bswap32(x)
#define BSWAP_64(x) __builtin_bswap64(x)

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define FROM_BE(bits, x) TEMPLATE_JOIN(BSWAP, _, bits)(x)
#define FROM_LE(bits, x) (x)
#else
#define FROM_BE(bits, x) (x)
#define FROM_LE(bits, x) TEMPLATE_JOIN(BSWAP, _, bits)(x)
#endif

#define BITS 8
#include "filter/kernels_template.h"

#define BITS 16
#include "filter/kernels_template.h"

#define BITS 32
#include "filter/kernels_template.h"

#define BITS 64
#include "filter/kernels_template.h"

#define KERNELS(bits) \
	{ \
		.load_be = load_be_##bits, .store_be = store_be_##bits, \
		.load_le = load_le_##bits, .store_le = store_le_##bits, \
		.shuffle = shuffle_##bits, .unshuffle = unshuffle_##bits, \
		.order = order_##bits, .unorder = unorder_##bits, \
		.zigzag = zigzag_##bits, .unzigzag = unzigzag_##bits, \
		.delta = delta_##bits, .undelta = undelta_##bits, \
	}

const struct filter_kernels KERNEL_SET(filter_kernels)[4] = {
	KERNELS(8),
	KERNELS(16),
	KERNELS(32),
	KERNELS(64),
};
