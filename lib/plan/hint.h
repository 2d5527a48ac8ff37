/* SPDX-License-Identifier: MIT */
/* Hints: how the values of a stream or block lie, for the choice of filters. */
#ifndef NC3Z_PLAN_HINT_H
#define NC3Z_PLAN_HINT_H

#include "classic/header.h"
#include "plan/plan.h"

/* What the header tells of a stream; helps to choose filters, not stored. */
struct plan_hint {
	uint8_t width;
	bool is_float;
	bool is_text;
	uint32_t row_nelems;   /* 0: no rows */
	uint32_t plane_nelems; /* 0: no planes */
};

struct plan_hint plan_hint_of_type(enum classic_type type);

/* A variable in the order of the file, and one that is cut into chunks. */
struct plan_hint plan_hint_of_variable(const struct classic_header *header,
				       uint32_t variable);
struct plan_hint plan_hint_of_chunks(enum classic_type type,
				     const struct plan_grid *grid);

/*
 * The hint of a stream as it is for one of its blocks: a chunk at an edge is
 * clipped and has rows and planes of its own.
 */
struct plan_hint plan_hint_of_block(const struct plan_stream *s,
				    const struct plan_hint *hint,
				    uint64_t block);

#endif
