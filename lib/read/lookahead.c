/*
 * What an iterator's requests touch, some requests ahead of the one that runs,
 * and by that what is worth keeping.  The same code counts decodes beforehand
 * and says what is kept when values are read.
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
	struct plan_request wanted;
	struct box_range range;
	struct read_request q;

	slot->count = 0;
	if (f->stage.is_at_end)
		return NC3Z_OK;
	stage_boxes(it, &f->stage, &range);
	NC3Z_TRY(iterator_request(it, f->var, &range, &wanted, &q, err));
	/* Blocks of plain files cost nothing. */
	if (q.file->is_archive)
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

void lookahead_release(struct lookahead *f, const struct nc3z_iterator *it)
{
	for (size_t i = 0; f->ring && i < ring_count(it); i++)
		touched_blocks_release(&f->ring[i]);
	free(f->ring);
	block_store_release(&f->kept);
	*f = (struct lookahead){ 0 };
}

int lookahead_begin(struct lookahead *f, const struct nc3z_iterator *it,
		    uint64_t *ndecoded_ret, struct nc3z_error *err)
{
	return block_store_begin(&f->kept, f->ring, f->first, ring_count(it),
				 ndecoded_ret, err);
}

int lookahead_end(struct lookahead *f, const struct nc3z_iterator *it,
		  struct nc3z_error *err)
{
	block_store_end(&f->kept);
	NC3Z_TRY(look_ahead(f, it, &f->ring[f->first], err));
	f->first = (f->first + 1) % ring_count(it);
	return NC3Z_OK;
}
