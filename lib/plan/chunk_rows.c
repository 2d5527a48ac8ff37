/* SPDX-License-Identifier: MIT */
#include "plan/chunk_rows.h"

#include "base/sizes.h"

/* From one index to the next, in the original. */
static uint64_t index_nbytes(const struct plan *plan,
			     const struct plan_stream *s, uint32_t k)
{
	return k == 0 && s->is_record ?
		       plan->record_nbytes :
		       s->grid->dims[k].weight * s->grid->width;
}

uint64_t plan_chunk_last_offset(const struct plan_map *map, uint32_t stream,
				uint64_t block)
{
	const struct plan_stream *s = &map->plan->streams[stream];
	uint64_t offset = s->members[0].begin + s->grid->width - 1;
	struct plan_chunk chunk;

	plan_grid_chunk(s->grid, block, &chunk);
	for (uint32_t k = 0; k < s->grid->rank; k++)
		offset += (chunk.first[k] + chunk.count[k] - 1) *
			  index_nbytes(map->plan, s, k);
	return offset;
}

/*
 * The dimensions whose indices begin a new row: those up to the last one that
 * chunks do not span, and the records if they are apart in the original.
 */
static uint32_t count_row_dims(const struct plan *plan,
			       const struct plan_stream *s)
{
	bool are_apart = s->is_record && plan->record_nbytes != s->nbytes;

	return s->grid->run_dim == 0 ? are_apart : s->grid->run_dim;
}

void plan_chunk_rows_begin(const struct plan_map *map, uint32_t stream,
			   uint64_t block, struct plan_chunk_rows *rows_ret)
{
	const struct plan *plan = map->plan;
	const struct plan_stream *s = &plan->streams[stream];
	const struct plan_grid *t = s->grid;
	struct plan_chunk *chunk = &rows_ret->chunk;
	struct plan_chunk_row *row = &rows_ret->row;
	uint32_t whole_nbytes = plan_grid_chunk_nbytes(t);
	uint64_t row_nbytes = t->width;

	plan_grid_chunk(t, block, chunk);
	rows_ret->nbytes =
		plan_grid_nbytes_of(t, chunk, map->extents[stream].nbytes);
	rows_ret->ndims = count_row_dims(plan, s);
	*row = (struct plan_chunk_row){ .offset = s->members[0].begin };
	for (uint32_t k = 0; k < t->rank; k++) {
		uint64_t member_nbytes = t->dims[k].weight * t->width;
		uint64_t nbytes = index_nbytes(plan, s, k);

		whole_nbytes /= t->dims[k].chunk;
		rows_ret->at[k] = 0;
		rows_ret->steps[k] = (struct plan_chunk_step){
			.whole_nbytes = whole_nbytes,
			.member_nbytes = member_nbytes,
			.nbytes = nbytes,
		};
		row->member_offset += chunk->first[k] * member_nbytes;
		row->offset += chunk->first[k] * nbytes;
		if (k >= rows_ret->ndims)
			row_nbytes *= chunk->count[k];
	}
	rows_ret->row_nbytes = (uint32_t)row_nbytes;
	rows_ret->done = 0;
}

/* From where a row begins to where the next one does. */
static void step_row(struct plan_chunk_rows *rows)
{
	struct plan_chunk_row *row = &rows->row;

	for (uint32_t k = rows->ndims; k-- > 0;) {
		const struct plan_chunk_step *step = &rows->steps[k];
		uint32_t back = rows->at[k];

		if (++rows->at[k] < rows->chunk.count[k]) {
			row->whole_offset += step->whole_nbytes;
			row->member_offset += step->member_nbytes;
			row->offset += step->nbytes;
			return;
		}
		rows->at[k] = 0;
		row->whole_offset -= back * step->whole_nbytes;
		row->member_offset -= back * step->member_nbytes;
		row->offset -= back * step->nbytes;
	}
}

/* Its fields are not copied: wide loads would wait for narrow stores. */
const struct plan_chunk_row *plan_chunk_rows_next(struct plan_chunk_rows *rows)
{
	uint32_t left = rows->nbytes - rows->done;

	if (left == 0)
		return NULL;
	if (rows->done > 0)
		step_row(rows);
	rows->row.chunk_offset = rows->done;
	rows->row.nbytes = (uint32_t)size_min(rows->row_nbytes, left);
	rows->done += rows->row.nbytes;
	return &rows->row;
}
