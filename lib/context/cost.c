/* SPDX-License-Identifier: MIT */
#include "context/cost.h"

/* Bit by bit: squaring a number doubles its logarithm. */
static uint32_t log2_of(uint64_t x)
{
	uint32_t log = 0;

	for (unsigned bit = 0; bit < 16; bit++) {
		x = x * x >> 30;
		log *= 2;
		if (x >> 31) {
			x /= 2;
			log++;
		}
	}
	return log;
}

void context_logs_init(struct context_logs *logs)
{
	for (uint64_t i = 0; i < 1024; i++)
		logs->of[i] = log2_of((1024 + i) << 20);
	logs->of[1024] = CONTEXT_BIT;
}
