/* SPDX-License-Identifier: MIT */
/*
 * Which set of kernels runs: the best one of those that were compiled that the
 * processor knows.
 */
#include "filter/kernels.h"

#define SET(set) \
	{ \
		.name = #set, .filter = filter_kernels_##set, \
		.hole = hole_kernels_##set, .mask = &mask_kernels_##set, \
		.decimal = &decimal_kernels_##set, \
		.plane = &plane_kernels_##set, \
	}

static const struct kernel_set plain = SET(plain);

#ifdef NC3Z_HAVE_AVX2

static const struct kernel_set avx2 = SET(avx2);

static const struct kernel_set *best(void)
{
	return __builtin_cpu_supports("avx2") ? &avx2 : &plain;
}

#else

static const struct kernel_set *best(void)
{
	return &plain;
}

#endif

size_t kernel_sets(const struct kernel_set *sets_ret[KERNEL_SETS_MAX])
{
	size_t count = 0;

	if (best() != &plain)
		sets_ret[count++] = best();
	sets_ret[count++] = &plain;
	return count;
}

static unsigned log2_of(uint8_t width)
{
	return width == 8 ? 3 : width == 4 ? 2 : width == 2 ? 1 : 0;
}

const struct filter_kernels *filter_kernels(uint8_t width)
{
	return &best()->filter[log2_of(width)];
}

const struct hole_kernels *hole_kernels(uint8_t width)
{
	return &best()->hole[log2_of(width)];
}

const struct mask_kernels *mask_kernels(void)
{
	return best()->mask;
}

const struct decimal_kernels *decimal_kernels(void)
{
	return best()->decimal;
}

const struct plane_kernels *plane_kernels(void)
{
	return best()->plane;
}
