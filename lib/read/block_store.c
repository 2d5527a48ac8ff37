/* SPDX-License-Identifier: MIT */
/*
 * The blocks a request touches are found by walking through its visits as it
 * will do itself (request.c).  A block is decoded where it is touched, unless
 * it is kept; touched again right away it is still at hand.
 */
#include "read/block_store.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/sizes.h"

static int order(const struct block_key *a, const struct block_key *b)
{
	if (a->file != b->file)
		return a->file < b->file ? -1 : 1;
	if (a->stream != b->stream)
		return a->stream < b->stream ? -1 : 1;
	return a->block < b->block ? -1 : a->block > b->block;
}

static int by_key_of_touch(const void *a, const void *b)
{
	return order(&((const struct touched_block *)a)->key,
		     &((const struct touched_block *)b)->key);
}

static int by_key_of_kept(const void *a, const void *b)
{
	return order(&((const struct block_store_entry *)a)->key,
		     &((const struct block_store_entry *)b)->key);
}

bool request_is_regular(const struct hyperslab_visits *wanted)
{
	const struct hyperslab_variable *place = wanted->place;
	const struct plan_stream *s;
	uint64_t end;

	if (place->stream == PLAN_NO_STREAM)
		return false;
	s = &wanted->map->plan->streams[place->stream];
	if (s->nmembers != 1 || s->block_nbytes % wanted->width != 0 ||
	    (s->grid && !wanted->grid))
		return false;
	/* The original is not cut off before the last element ends. */
	return size_mul(wanted->slab.in_last + 1, wanted->width, &end) &&
	       hyperslab_variable_run(wanted->map, place, end - 1).nbytes > 0;
}

/* A request that is walked through. */
struct walk {
	struct touched_blocks *touches;
	const struct hyperslab_visits *wanted;
	uint32_t file;
	bool failed;
};

static void touch(struct walk *walk, uint32_t stream,
		  const struct plan_block *block)
{
	struct touched_blocks *t = walk->touches;
	const struct block_key key = {
		.block = block->block,
		.stream = stream,
		.file = walk->file,
	};

	if (t->count > 0 && order(&t->list[t->count - 1].key, &key) == 0)
		return;
	if (!memory_room(&t->list, t->count, &t->capacity, sizeof(*t->list))) {
		walk->failed = true;
		return;
	}
	t->list[t->count++] = (struct touched_block){
		.key = key,
		.nbytes = (uint32_t)block->nbytes,
		.nruns = 1,
	};
}

/* The blocks of an element that no block has whole. */
static void touch_straddler(struct walk *walk, uint64_t element)
{
	struct hyperslab_element_part part = { 0 };

	while (hyperslab_element_next_part(walk->wanted, element, &part))
		touch(walk, part.stream, &part.block);
}

static void touch_all(struct walk *walk)
{
	bool is_regular = request_is_regular(walk->wanted);
	struct hyperslab_run run;
	struct hyperslab_visits_cursor cursor;
	struct hyperslab_visit w;

	hyperslab_visits_seek(walk->wanted, 0, &cursor);
	while (!walk->failed &&
	       hyperslab_visits_next(&cursor, UINT64_MAX, &w)) {
		if (w.kind == PLAN_IN_BLOCK)
			touch(walk, w.stream, &w.block);
		else if (w.kind == PLAN_STRADDLES)
			touch_straddler(walk, w.straddler);
		if (is_regular) {
			if (!hyperslab_visits_seek(walk->wanted, w.after,
						   &cursor))
				return;
			continue;
		}
		while (hyperslab_visits_run(&cursor, &w, &run))
			continue;
	}
}

void touched_blocks_join(struct touched_blocks *t)
{
	bool is_ordered = true;
	size_t n = 0;

	for (size_t i = 1; i < t->count; i++)
		is_ordered = is_ordered &&
			     order(&t->list[i - 1].key, &t->list[i].key) < 0;
	if (is_ordered)
		return;
	qsort(t->list, t->count, sizeof(*t->list), by_key_of_touch);
	for (size_t i = 0; i < t->count; i++) {
		if (n > 0 && order(&t->list[n - 1].key, &t->list[i].key) == 0)
			t->list[n - 1].nruns++;
		else
			t->list[n++] = t->list[i];
	}
	t->count = n;
}

int touched_blocks_add(struct touched_blocks *touches,
		       const struct hyperslab_visits *wanted, uint32_t file,
		       struct nc3z_error *err)
{
	struct walk walk = {
		.touches = touches,
		.wanted = wanted,
		.file = file,
	};

	touch_all(&walk);
	return walk.failed ? error_set_memory(err) : NC3Z_OK;
}

void touched_blocks_release(struct touched_blocks *touches)
{
	free(touches->list);
	*touches = (struct touched_blocks){ 0 };
}

bool touched_blocks_has(const struct touched_blocks *t,
			const struct block_key *key)
{
	const struct touched_block wanted = { .key = *key };

	return t->count > 0 && bsearch(&wanted, t->list, t->count,
				       sizeof(*t->list), by_key_of_touch);
}

/* Among the first 'n' of those that are kept. */
static struct block_store_entry *
find_kept(const struct block_store *kept, size_t n, const struct block_key *key)
{
	const struct block_store_entry wanted = { .key = *key };

	return n == 0 ? NULL :
			bsearch(&wanted, kept->list, n, sizeof(*kept->list),
				by_key_of_kept);
}

bool block_store_has(const struct block_store *kept,
		     const struct block_key *key)
{
	const struct block_store_entry *found =
		find_kept(kept, kept->count, key);

	return found && found->data;
}

struct block_store_entry *block_store_find(const struct block_store *kept,
					   uint32_t stream, uint64_t block)
{
	const struct block_key key = {
		.block = block,
		.stream = stream,
		.file = kept->file,
	};

	return find_kept(kept, kept->count, &key);
}

/* Adds the blocks that are wanted before a request. */
struct choice {
	struct block_store *kept;
	size_t nold; /* that were kept before */
	uint64_t nbytes;
	bool failed;
};

static void keep_block(struct choice *c, struct touched_block *t, bool stays)
{
	struct block_store *kept = c->kept;
	struct block_store_entry *old = find_kept(kept, c->nold, &t->key);

	if (old) {
		old->stays = old->stays || stays;
		t->is_chosen = true;
		return;
	}
	if (c->nbytes + t->nbytes > kept->max_nbytes)
		return;
	if (!memory_room(&kept->list, kept->count, &kept->capacity,
			 sizeof(*kept->list))) {
		c->failed = true;
		return;
	}
	kept->list[kept->count++] = (struct block_store_entry){
		.key = t->key,
		.nbytes = t->nbytes,
		.stays = stays,
	};
	c->nbytes += t->nbytes;
	t->is_chosen = true;
}

/* Keeps what a later request touches. */
static void keep_for(struct choice *c, struct touched_blocks *now,
		     const struct touched_blocks *later)
{
	for (size_t i = 0; i < c->nold; i++)
		if (!c->kept->list[i].stays)
			c->kept->list[i].stays = touched_blocks_has(
				later, &c->kept->list[i].key);
	for (size_t i = 0; i < now->count; i++)
		if (!now->list[i].is_chosen &&
		    touched_blocks_has(later, &now->list[i].key))
			keep_block(c, &now->list[i], true);
}

static uint64_t count_decoded(const struct choice *c,
			      const struct touched_blocks *now)
{
	uint64_t n = 0;

	for (size_t i = 0; i < now->count; i++) {
		const struct touched_block *t = &now->list[i];

		if (!find_kept(c->kept, c->nold, &t->key))
			n += t->is_chosen ? 1 : t->nruns;
	}
	return n;
}

int block_store_begin(struct block_store *kept, struct touched_blocks *ring,
		      size_t first, size_t n, uint64_t *ndecoded_ret,
		      struct nc3z_error *err)
{
	struct choice c = { .kept = kept, .nold = kept->count };
	struct touched_blocks *now = &ring[first];

	for (size_t i = 0; i < c.nold; i++) {
		kept->list[i].stays = false;
		c.nbytes += kept->list[i].nbytes;
	}
	for (size_t i = 1; i < n; i++)
		keep_for(&c, now, &ring[(first + i) % n]);
	for (size_t i = 0; i < now->count; i++)
		if (!now->list[i].is_chosen && now->list[i].nruns > 1)
			keep_block(&c, &now->list[i], false);
	*ndecoded_ret = count_decoded(&c, now);
	if (kept->count > c.nold)
		qsort(kept->list, kept->count, sizeof(*kept->list),
		      by_key_of_kept);
	return c.failed ? error_set_memory(err) : NC3Z_OK;
}

void block_store_end(struct block_store *kept)
{
	size_t n = 0;

	for (size_t i = 0; i < kept->count; i++) {
		if (kept->list[i].stays)
			kept->list[n++] = kept->list[i];
		else
			free(kept->list[i].data);
	}
	kept->count = n;
}

void block_store_release(struct block_store *kept)
{
	for (size_t i = 0; i < kept->count; i++)
		free(kept->list[i].data);
	free(kept->list);
	*kept = (struct block_store){ 0 };
}
