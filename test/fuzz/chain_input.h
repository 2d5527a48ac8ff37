/* SPDX-License-Identifier: MIT */
/*
 * Filter chains out of any bytes:
 *
 *	number of steps 1, steps of 5 (id, stride 4)
 */
#ifndef FUZZ_CHAIN_INPUT_H
#define FUZZ_CHAIN_INPUT_H

#include "filter/filter.h"
#include "fuzz.h"

/* A chain as it stands there, or bent into one that is valid. */
struct filter_chain chain_take(struct fuzz_bytes *in, bool as_it_is,
			       uint8_t width);

/* Random bytes of a chain; every other stride is a small one. */
#define CHAIN_NBYTES (1 + 5 * FILTER_STEPS_MAX)
void chain_random(uint8_t out[CHAIN_NBYTES], uint64_t *state);

#endif
