/* SPDX-License-Identifier: MIT */
#include "restore/held_blocks.h"

#include <stdlib.h>

int held_blocks_init(struct held_blocks *held, uint32_t nstreams,
		     uint64_t max_nbytes, struct nc3z_error *err)
{
	*held = (struct held_blocks){
		.queues = memory_alloc(nstreams, sizeof(*held->queues)),
		.nstreams = nstreams,
		.max_nbytes = max_nbytes,
	};
	return held->queues ? NC3Z_OK : error_set_memory(err);
}

struct held_block *held_blocks_pop(struct held_blocks *held, uint32_t stream)
{
	struct held_queue *q = &held->queues[stream];
	struct held_block *b = q->first;

	if (!b)
		return NULL;
	q->first = b->next;
	if (!q->first)
		q->last = NULL;
	if (q->found == b)
		q->found = NULL;
	held->nbytes -= b->nbytes;
	return b;
}

void held_blocks_release(struct held_blocks *held)
{
	for (uint32_t i = 0; held->queues && i < held->nstreams; i++)
		while (held->queues[i].first)
			free(held_blocks_pop(held, i));
	free(held->queues);
	*held = (struct held_blocks){ 0 };
}

struct held_block *held_block_new(uint32_t block, uint32_t nbytes)
{
	struct held_block *b = malloc(sizeof(*b) + nbytes);

	if (b)
		*b = (struct held_block){ .block = block, .nbytes = nbytes };
	return b;
}

int held_blocks_push(struct held_blocks *held, uint32_t stream,
		     struct held_block *block, struct nc3z_error *err)
{
	struct held_queue *q = &held->queues[stream];

	if (held->nbytes + block->nbytes > held->max_nbytes) {
		free(block);
		return error_set(err, NC3Z_EDAMAGED,
				 "blocks are too far out of order");
	}
	if (q->last)
		q->last->next = block;
	else
		q->first = block;
	q->last = block;
	held->nbytes += block->nbytes;
	return NC3Z_OK;
}

struct held_block *held_blocks_find(struct held_blocks *held, uint32_t stream,
				    uint64_t block)
{
	struct held_queue *q = &held->queues[stream];
	struct held_block *b = q->found;

	/* They ascend. */
	if (!b || b->block > block)
		b = q->first;
	while (b && b->block < block)
		b = b->next;
	if (!b || b->block != block)
		return NULL;
	q->found = b;
	return b;
}

void held_blocks_use(struct held_blocks *held, uint32_t stream,
		     struct held_block *block, uint32_t nbytes)
{
	struct held_queue *q = &held->queues[stream];

	block->used_nbytes += nbytes;
	while (q->first && q->first->used_nbytes == q->first->nbytes)
		free(held_blocks_pop(held, stream));
}
