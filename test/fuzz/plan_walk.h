/* SPDX-License-Identifier: MIT */
/* Walking through a plan, for the targets that have one. */
#ifndef FUZZ_PLAN_WALK_H
#define FUZZ_PLAN_WALK_H

#include "plan/map.h"

/*
 * Goes through the map of a plan for an original of that size, from its start
 * and from a few other places, and checks that runs, streams and blocks agree;
 * for a small original also that its bytes and those of the streams are the
 * same bytes.
 */
void plan_walk(const struct plan *plan, uint64_t original_nbytes);

#endif
