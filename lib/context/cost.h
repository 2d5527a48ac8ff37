/* SPDX-License-Identifier: MIT */
/*
 * Logarithms in whole numbers: what a choice costs has to be the same on every
 * machine, as archives depend on it.
 */
#ifndef NC3Z_CONTEXT_COST_H
#define NC3Z_CONTEXT_COST_H

#include <stdint.h>

/* Costs are in units of 1 / 65536 bit. */
#define CONTEXT_BIT 65536

struct context_logs {
	uint32_t of[1025]; /* log2(1 + i / 1024) */
};

void context_logs_init(struct context_logs *logs);

/* log2(x), x being at least 1, interpolated. */
static inline uint32_t context_log2(const struct context_logs *logs, uint32_t x)
{
	unsigned zeros = (unsigned)__builtin_clz(x);
	uint32_t bits = x << zeros & 0x7fffffff;
	uint32_t low = logs->of[bits >> 21], high = logs->of[(bits >> 21) + 1];

	return ((31 - zeros) << 16) + low +
	       (uint32_t)((uint64_t)(high - low) * (bits & 0x1fffff) >> 21);
}

/* x log2(x), 0 for 0. */
static inline uint64_t context_xlog2x(const struct context_logs *logs,
				      uint32_t x)
{
	return x > 0 ? (uint64_t)x * context_log2(logs, x) : 0;
}

#endif
