/* SPDX-License-Identifier: MIT */
/*
 * The blocks that an iterator's requests touch, some requests ahead of the one
 * that runs, and by that what is worth keeping.  The same code counts decodes
 * beforehand and says what is kept when values are read.
 */
#include <stdlib.h>

#include "base/memory.h"
#include "read/iterator.h"

static size_t ring_count(const struct nc3z_iterator *it)
{
	return it->nvars + 1;
}

/* Looks at the first request after the ring, whose touches go to a slot. */
static int look_ahead(struct lookahead *f, const struct nc3z_iterator *it,
		      struct touched_blocks *slot, struct nc3z_error *err)
{
	struct hyperslab_visits wanted;
	struct box_range range;
	struct read_request q;

	slot->count = 0;
	if (f->stage.is_at_end)
		return NC3Z_OK;
	stage_boxes(it, &f->stage, &range);
	NC3Z_TRY(iterator_request(it, f->var, &range, &wanted, &q, err));
	/* Blocks of plain files cost nothing, unless they come from afar. */
	if (q.file->is_archive || source_is_slow(q.file->source))
		NC3Z_TRY(touched_blocks_add(slot, &wanted,
					    it->vars[f->var].file, err));
	touched_blocks_join(slot);
	if (++f->var == it->nvars) {
		f->var = 0;
		stage_next(it, &f->stage);
	}
	return NC3Z_OK;
}

int lookahead_init(struct lookahead *f, const struct nc3z_iterator *it,
		   const struct stage_cursor *stage, struct nc3z_error *err)
{
	int status = NC3Z_OK;

	*f = (struct lookahead){
		.kept.max_nbytes = it->kept_nbytes,
		.stage = *stage,
	};
	f->ring = memory_alloc(ring_count(it), sizeof(*f->ring));
	if (!f->ring)
		return error_set_memory(err);
	for (size_t i = 0; status == NC3Z_OK && i < ring_count(it); i++)
		status = look_ahead(f, it, &f->ring[i], err);
	if (status != NC3Z_OK)
		lookahead_release(f, it);
	return status;
}

static void forget_request(struct announced_request *a)
{
	if (a->file)
		source_forget(a->file->source, a->announcement);
	a->file = NULL;
}

void lookahead_release(struct lookahead *f, const struct nc3z_iterator *it)
{
	for (size_t i = 0; f->ring && i < ring_count(it); i++)
		touched_blocks_release(&f->ring[i]);
	free(f->ring);
	block_store_release(&f->kept);
	forget_request(&f->early);
	forget_request(&f->rest);
	forget_request(&f->next);
	*f = (struct lookahead){ 0 };
}

/* The file of touches, which are those of one request. */
static struct nc3z_file *file_of(const struct nc3z_iterator *it,
				 const struct touched_blocks *touches)
{
	for (size_t v = 0; touches->count > 0 && v < it->nvars; v++)
		if (it->vars[v].file == touches->list[0].key.file)
			return it->vars[v].request.file;
	return NULL;
}

int lookahead_begin(struct lookahead *f, const struct nc3z_iterator *it,
		    uint64_t *ndecoded_ret, struct nc3z_error *err)
{
	const struct nc3z_file *file = file_of(it, &f->ring[f->first]);

	NC3Z_TRY(block_store_begin(&f->kept, f->ring, f->first, ring_count(it),
				   ndecoded_ret, err));
	if (file && !file->is_archive)
		*ndecoded_ret = 0; /* read, not decoded */
	return NC3Z_OK;
}

/* The blocks a request will fetch, less those 'others' fetches before it. */
static void announce_touches(struct lookahead *f,
			     const struct nc3z_iterator *it,
			     struct touched_blocks *touches,
			     const struct touched_blocks *others,
			     struct announced_request *a)
{
	struct nc3z_file *file = file_of(it, touches);
	struct announce_block *blocks;
	size_t n = 0;

	if (!file || !source_is_slow(file->source))
		return;
	blocks = memory_alloc(touches->count, sizeof(*blocks));
	for (size_t i = 0; blocks && i < touches->count; i++) {
		struct touched_block *t = &touches->list[i];

		if (t->is_announced || block_store_has(&f->kept, &t->key) ||
		    (others && touched_blocks_has(others, &t->key)))
			continue;
		t->is_announced = true;
		blocks[n++] = (struct announce_block){
			.stream = t->key.stream,
			.block = t->key.block,
		};
	}
	a->file = file;
	a->announcement = announce_blocks(file, blocks, n);
	free(blocks);
}

void lookahead_announce(struct lookahead *f, const struct nc3z_iterator *it)
{
	struct touched_blocks *now = &f->ring[f->first];
	struct touched_blocks *next = &f->ring[(f->first + 1) % ring_count(it)];

	announce_touches(f, it, now, NULL, &f->rest);
	announce_touches(f, it, next, now, &f->next);
}

int lookahead_end(struct lookahead *f, const struct nc3z_iterator *it,
		  struct nc3z_error *err)
{
	block_store_end(&f->kept);
	forget_request(&f->early);
	forget_request(&f->rest);
	f->early = f->next;
	f->next = (struct announced_request){ 0 };
	NC3Z_TRY(look_ahead(f, it, &f->ring[f->first], err));
	f->first = (f->first + 1) % ring_count(it);
	return NC3Z_OK;
}
