/* SPDX-License-Identifier: MIT */
/*
 * Restoring to a file, each block decoded once, with little memory however far
 * chunks reach: blocks come in the order of the archive, and their bytes go
 * where they belong.
 *
 * Decoded blocks are collected into a *batch*, as large as the memory allows.
 * Then the runs of all of them are merged in the order of the original, so
 * that chunks side by side make rows, and rows what can be written at once.
 *
 * The SHA-256 wants the bytes in order.  Those that come so are hashed when
 * they are written.  The others are read back, soon, while the system still has
 * them in memory: after each batch, up to the first byte that has yet to come.
 * That is the least of the offsets at which the next blocks of the streams
 * begin, as blocks of a stream ascend.
 *
 * A block may be shorter than in an original without end.  Its length says what
 * it has (plan_block_runs_begin_cut()); whether it was right is looked up at
 * the end.
 */
#include <stdlib.h>
#include <string.h>

#include "base/sizes.h"
#include "plan/block_runs.h"
#include "restore/options.h"
#include "restore/restorer.h"
#include "nc3z_tools.h"

struct short_block {
	uint32_t stream;
	uint32_t block;
	uint32_t nbytes;
};

struct placer {
	struct restorer *r;
	struct plan_merge merge;
	struct held_block *batch; /* a list */
	uint64_t batch_nbytes;
	/* Of each stream: the first block that is not in a batch; bytes. */
	uint32_t *next_blocks;
	uint64_t *stream_nbytes;
	struct short_block *shorts;
	size_t nshorts;
	size_t capacity;
	uint64_t run_offset;         /* of what is in r->pending */
	uint64_t end;                /* of what was written */
	struct nc3z_source *written; /* NULL: nothing was read back yet */
};

static int placer_begin(struct placer *p, struct restorer *r)
{
	*p = (struct placer){
		.r = r,
		.next_blocks =
			memory_alloc(r->plan.nstreams, sizeof(*p->next_blocks)),
		.stream_nbytes = memory_alloc(r->plan.nstreams,
					      sizeof(*p->stream_nbytes)),
	};
	if (!p->next_blocks || !p->stream_nbytes)
		return error_set_memory(r->err);
	return restorer_begin_blocks(r);
}

static void free_batch(struct placer *p)
{
	struct held_block *block;

	while ((block = p->batch)) {
		p->batch = block->next;
		free(block);
	}
	p->batch_nbytes = 0;
}

static void placer_release(struct placer *p)
{
	nc3z_source_close(p->written);
	plan_merge_release(&p->merge);
	free_batch(p);
	free(p->next_blocks);
	free(p->stream_nbytes);
	free(p->shorts);
}

/* Writes what was put together, and hashes it if that is its turn. */
static int write_run(struct placer *p)
{
	struct restorer *r = p->r;
	size_t nbytes = r->pending_nbytes;

	if (nbytes == 0)
		return NC3Z_OK;
	NC3Z_TRY(
		restore_check_size(r->options, p->run_offset + nbytes, r->err));
	NC3Z_TRY(sink_write_at(r->out, p->run_offset, r->pending, nbytes,
			       r->err));
	r->pending_nbytes = 0;
	p->end = size_max(p->end, p->run_offset + nbytes);
	return p->run_offset == r->hashed ? restorer_hash(r, nbytes) : NC3Z_OK;
}

static int put_run(struct placer *p, uint64_t offset, const uint8_t *data,
		   size_t nbytes)
{
	struct restorer *r = p->r;

	if (offset != p->run_offset + r->pending_nbytes)
		NC3Z_TRY(write_run(p));
	while (nbytes > 0) {
		size_t room = HASHER_BUFFER_NBYTES - r->pending_nbytes;
		size_t n = (size_t)size_min(nbytes, room);

		if (r->pending_nbytes == 0)
			p->run_offset = offset;
		memcpy(r->pending + r->pending_nbytes, data, n);
		r->pending_nbytes += n;
		if (n == room)
			NC3Z_TRY(write_run(p));
		offset += n;
		data += n;
		nbytes -= n;
	}
	return NC3Z_OK;
}

/* The first byte of the original that has yet to be written. */
static uint64_t first_missing(const struct placer *p)
{
	const struct plan_map *map = p->r->map;
	uint64_t first = map->original_nbytes;

	for (uint32_t i = 0; i < p->r->plan.nstreams; i++)
		if (p->next_blocks[i] < map->extents[i].nblocks)
			first = size_min(first,
					 plan_block_offset(map, i,
							   p->next_blocks[i]));
	return first;
}

/* Hashes what was written, up to an offset that is not beyond its end. */
static int read_back(struct placer *p, uint64_t end)
{
	struct restorer *r = p->r;

	if (r->hashed >= end)
		return NC3Z_OK;
	sink_end(r->out, p->end);
	if (!p->written)
		NC3Z_TRY(nc3z_source_open_sink(r->out, &p->written, r->err));
	while (r->hashed < end) {
		size_t n =
			(size_t)size_min(HASHER_BUFFER_NBYTES, end - r->hashed);
		size_t got;

		NC3Z_TRY(source_read_at(p->written, r->hashed, r->pending, n,
					&got, r->err));
		/* A sparse file may not be as long yet as it will be. */
		memset(r->pending + got, 0, n - got);
		NC3Z_TRY(restorer_hash(r, n));
	}
	return NC3Z_OK;
}

static int write_batch(struct placer *p)
{
	struct plan_block_run run;
	void *owner;

	while (plan_merge_next(&p->merge, &run, &owner)) {
		const struct held_block *block = owner;

		NC3Z_TRY(put_run(p, run.offset, block->raw + run.block_offset,
				 run.nbytes));
	}
	NC3Z_TRY(write_run(p));
	free_batch(p);
	/* In an original without end more would be missing than there is. */
	return read_back(p, size_min(first_missing(p), p->end));
}

/* Adds a block, whose memory is then the batch's, as the map has it. */
static int add_to_batch(struct placer *p, uint32_t stream,
			struct held_block *block)
{
	uint64_t nbytes = block->nbytes + plan_merge_block_nbytes();
	struct plan_block_runs runs;
	int status = NC3Z_OK;

	if (p->batch &&
	    p->batch_nbytes + nbytes > p->r->options->max_memory_nbytes)
		status = write_batch(p);
	block->next = p->batch;
	p->batch = block;
	p->batch_nbytes += nbytes;
	NC3Z_TRY(status);
	plan_block_runs_begin_cut(p->r->map, stream, block->block,
				  block->nbytes, &runs);
	if (!plan_merge_add(&p->merge, &runs, block->nbytes, block))
		return error_set_memory(p->r->err);
	p->next_blocks[stream]++;
	return NC3Z_OK;
}

static int note_short(struct placer *p, uint32_t stream,
		      const struct held_block *block)
{
	if (!memory_room(&p->shorts, p->nshorts, &p->capacity,
			 sizeof(*p->shorts)))
		return error_set_memory(p->r->err);
	p->shorts[p->nshorts++] = (struct short_block){
		.stream = stream,
		.block = block->block,
		.nbytes = block->nbytes,
	};
	return NC3Z_OK;
}

static int wrong_length(struct placer *p, uint32_t stream, uint32_t block)
{
	error_set(p->r->err, NC3Z_EDAMAGED, "wrong length or order");
	return error_add_block(p->r->err, NC3Z_EDAMAGED, stream, block);
}

/* A block has come, which is freed if this fails. */
static int take_block(struct placer *p, uint32_t stream,
		      struct held_block *block)
{
	struct plan_block nominal =
		plan_block_numbered(p->r->map, stream, block->block);
	int status = NC3Z_OK;

	p->stream_nbytes[stream] += block->nbytes;
	if (block->nbytes < nominal.nbytes)
		status = note_short(p, stream, block);
	if (status != NC3Z_OK) {
		free(block);
		return status;
	}
	return add_to_batch(p, stream, block);
}

/*
 * Now that it is known how long blocks are: no block was longer than without
 * end, the shorter ones have been noted, so that all are right if these are,
 * and the sums.
 */
static int check_lengths(struct placer *p)
{
	const struct plan_map *map = p->r->map;

	for (size_t i = 0; i < p->nshorts; i++) {
		const struct short_block *b = &p->shorts[i];

		if (plan_block_numbered(map, b->stream, b->block).nbytes !=
		    b->nbytes)
			return wrong_length(p, b->stream, b->block);
	}
	for (uint32_t i = 0; i < p->r->plan.nstreams; i++)
		if (p->stream_nbytes[i] != map->extents[i].nbytes)
			return wrong_length(
				p, i, (uint32_t)map->extents[i].nblocks - 1);
	return NC3Z_OK;
}

static int run_placer(struct placer *p)
{
	struct restorer *r = p->r;
	struct held_block *block;
	uint32_t stream;

	while (!r->at_end) {
		NC3Z_TRY(
			block_reader_next(&r->blocks, &stream, &block, r->err));
		NC3Z_TRY(block ? take_block(p, stream, block) :
				 restorer_read_end(r));
	}
	NC3Z_TRY(check_lengths(p));
	NC3Z_TRY(write_batch(p));
	sink_end(r->out, r->map->original_nbytes);
	return restorer_check_end(r);
}

int restore_place(struct restorer *r)
{
	struct placer p;
	int status = placer_begin(&p, r);

	if (status == NC3Z_OK)
		status = run_placer(&p);
	placer_release(&p);
	return status;
}
