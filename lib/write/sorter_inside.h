/* SPDX-License-Identifier: MIT */
/* What putting bytes (sorter.c) and rehearsing (sorter_rehearse.c) share. */
#ifndef NC3Z_WRITE_SORTER_INSIDE_H
#define NC3Z_WRITE_SORTER_INSIDE_H

#include <stdint.h>

struct nc3z_error;
struct open_block;
struct plan_block;
struct sorter;

/* Where a block is kept while it is open. */
struct open_block *sorter_place(struct sorter *sorter, uint32_t stream,
				uint64_t block);

int sorter_open(struct sorter *sorter, uint32_t stream, struct open_block *open,
		const struct plan_block *block, struct nc3z_error *err);

/* A block is full, or the end is there: it is filled if it was put off. */
int sorter_hand_on(struct sorter *sorter, uint32_t stream,
		   struct open_block *open, struct nc3z_error *err);

/* The blocks of a stream that the end finds open, in ascending order. */
int sorter_end_stream(struct sorter *sorter, uint32_t stream,
		      struct nc3z_error *err);

#endif
