/* SPDX-License-Identifier: MIT */
/*
 * Which bytes of the original are in a variable of the HDF5 part, and which are
 * in the rest, as a plan (plan/plan.h): a stream for each variable that has any
 * bytes, whose member says which one, then the rest in records, and the rest
 * outside of them.  Where there is no rest there is no stream.
 */
#ifndef NC3Z_EXACT_COVER_H
#define NC3Z_EXACT_COVER_H

#include "exact/tail.h"
#include "plan/map.h"

struct cover {
	struct plan plan;
	struct plan_map map;
	uint32_t first_rest; /* streams from this number on are the rest */
};

/*
 * NC3Z_EDAMAGED if variables overlap; NC3Z_ENOMEM.  To be released in any case.
 */
int cover_init(struct cover *cover, const struct exact_description *description,
	       uint64_t original_nbytes, struct nc3z_error *err);

/*
 * Whether the bytes at an offset of the original are of the rest, and how many
 * there are up to what follows.
 */
bool cover_is_rest(const struct cover *cover, uint64_t offset,
		   uint64_t *nbytes_ret);

/* All bytes of the rest. */
uint64_t cover_rest_nbytes(const struct cover *cover);

void cover_release(struct cover *cover);

#endif
