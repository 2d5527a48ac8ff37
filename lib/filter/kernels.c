/* SPDX-License-Identifier: MIT */
/* The kernels of kernels_template.h for elements of 1, 2, 4 and 8 bytes. */
#include "filter/kernels.h"

#include <string.h>

#ifdef NC3Z_KERNELS_AVX2
#include "filter/kernels_avx2.h"
#define SUM_GROUPS(bits, x, n) TEMPLATE_JOIN(sum_groups, _, bits)(x, n)
#define UNSHUFFLE_GROUPS(bits, bytes, n, x) \
	TEMPLATE_JOIN(unshuffle_groups, _, bits)(bytes, n, x)
#else
#define SUM_GROUPS(bits, x, n) 0
#define UNSHUFFLE_GROUPS(bits, bytes, n, x) 0
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
