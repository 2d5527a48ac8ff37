/* SPDX-License-Identifier: MIT */
#include "made.h"

#include "check.h"
#include "oracle.h"
#include "picture.h"
#include "plan/plan.h"
#include "shape.h"

static uint32_t below(uint64_t *seed, uint32_t limit)
{
	return (uint32_t)check_random_below(seed, limit);
}

static const struct shape_limits limits_of[MADE_KINDS] = {
	[MADE_MIXED] = { .max_length = 6,
			 .max_nrecords = 5,
			 .max_nvars = 12,
			 .max_rank = 6 },
	[MADE_TINY] = { .max_length = 5,
			.max_nrecords = 400,
			.max_nvars = 24,
			.max_rank = 2 },
	[MADE_MEDIUM] = { .max_length = 50,
			  .max_nrecords = 60,
			  .max_nvars = 6,
			  .max_rank = 2 },
	[MADE_LARGE] = { .max_length = 9,
			 .max_nrecords = 9,
			 .max_nvars = 5,
			 .max_rank = 3 },
	[MADE_LONE] = { .max_length = 13,
			.max_nrecords = 700,
			.max_nvars = 3,
			.max_rank = 2 },
	[MADE_EMPTY] = { .max_length = 8,
			 .max_nrecords = 0,
			 .max_nvars = 9,
			 .max_rank = 4 },
	[MADE_SHORT] = { .max_length = 14,
			 .max_nrecords = 40,
			 .max_nvars = 9,
			 .max_rank = 3 },
	[MADE_ODD] = { .max_length = 9,
		       .max_nrecords = 30,
		       .max_nvars = 9,
		       .max_rank = 3 },
};

/* Leaves one record variable, whose records have any number of bytes. */
static void leave_alone(struct shape *shape, uint64_t *seed)
{
	if (shape->ndims == 0)
		shape->ndims = 1;
	shape->dims[0] = 0;
	shape->numrecs = below(seed, 700);
	if (shape->nvars == 0)
		shape->nvars = 1;
	for (uint32_t i = 0; i < shape->nvars; i++)
		for (uint32_t k = 0; k < shape->vars[i].rank; k++)
			if (i > 0 && shape->vars[i].dimids[k] == 0)
				shape->vars[i].rank = 0;
	if (shape->vars[0].rank == 0)
		shape->vars[0].rank = 1;
	shape->vars[0].dimids[0] = 0;
	if (below(seed, 2))
		shape->vars[0].type = 1 + below(seed, 3);
}

/* Adds a variable of one to three million bytes. */
static void add_large(struct shape *shape, uint64_t *seed)
{
	struct shape_var *var = &shape->vars[shape->nvars++];
	bool is_record = shape->ndims > 1 && shape->dims[0] == 0;

	*var = (struct shape_var){ .type = 1 + below(seed, 6) };
	shape->ndims = shape->ndims > 3 ? shape->ndims : 4;
	for (uint32_t i = 1; i < 4; i++)
		shape->dims[i] = 60 + below(seed, 60);
	if (is_record)
		var->dimids[var->rank++] = 0;
	for (uint32_t i = is_record ? 2 : 1; i < 4; i++)
		var->dimids[var->rank++] = i;
	if (is_record)
		shape->numrecs = 20 + below(seed, 50);
	if (shape->dims[0] == 0 && !is_record)
		shape->numrecs = 3;
}

/* No variable of more than this; with ranks up to 6 some would be. */
static void bound(struct shape *shape, uint64_t max_nbytes)
{
	for (uint32_t i = 0; i < shape->nvars; i++) {
		struct shape_var *var = &shape->vars[i];
		uint64_t nbytes;

		while (shape_var_nbytes(shape, i, &nbytes) && var->rank > 1 &&
		       nbytes > max_nbytes)
			var->rank--;
	}
}

void made_file(enum made_kind kind, uint64_t *seed, struct blob *out)
{
	struct shape shape;
	uint64_t end, begin;

	do {
		shape_random(&shape, &limits_of[kind], seed);
	} while (shape.nvars == 0 || shape.nvars == SHAPE_VARS_MAX);
	if (kind == MADE_LONE)
		leave_alone(&shape, seed);
	if (kind == MADE_LARGE)
		add_large(&shape, seed);
	bound(&shape, kind == MADE_LARGE ? 4000000 : 60000);
	shape_place(&shape, below(seed, 3) == 0 ? below(seed, 5000) : 0);
	if (kind == MADE_ODD)
		shape_disturb(&shape, seed);
	begin = shape_header_nbytes(&shape);
	end = shape_end(&shape);
	if (kind == MADE_SHORT && end > begin)
		end = begin + check_random_below(seed, end - begin);
	else if (below(seed, 4) == 0)
		end += below(seed, 3000);
	if (end > 20000000)
		end = 20000000;
	shape_file(&shape, end, seed, out);
}

bool facts_init(struct facts *facts, const struct blob *file)
{
	const struct classic_header *h = &facts->header;
	uint64_t last = 0;
	size_t count = 0;
	bool more;

	*facts = (struct facts){ .file = file };
	if (classic_header_parse(file->data, file->nbytes, true, &facts->header,
				 &more, NULL) != NC3Z_OK)
		return false;
	for (size_t i = 0; i < h->nvars; i++) {
		const struct classic_var *var = &h->vars[i];

		if (var->ndims == 0 || h->dims[var->dimids[0]].length != 0)
			continue;
		last = shape_type_nbytes(var->type);
		for (size_t k = 1; k < var->ndims; k++)
			last *= h->dims[var->dimids[k]].length;
		facts->record_nbytes += (last + 3) / 4 * 4;
		count++;
	}
	if (count == 1)
		facts->record_nbytes = last;
	return true;
}

void facts_release(struct facts *facts)
{
	classic_header_release(&facts->header);
}

uint64_t facts_offset(const struct facts *facts, int varid, uint64_t linear)
{
	const struct classic_header *h = &facts->header;
	const struct classic_var *var = &h->vars[varid];
	uint64_t width = shape_type_nbytes(var->type), nelems = 1, at = 0;
	bool fits = true;

	if (var->ndims > 0 && h->dims[var->dimids[0]].length == 0) {
		for (size_t k = 1; k < var->ndims; k++)
			nelems *= h->dims[var->dimids[k]].length;
		fits = !__builtin_mul_overflow(linear / nelems,
					       facts->record_nbytes, &at);
		linear %= nelems;
	}
	fits = fits && !__builtin_mul_overflow(linear, width, &linear) &&
	       !__builtin_add_overflow(at, linear, &at) &&
	       !__builtin_add_overflow(at, var->begin, &at);
	return fits ? at : UINT64_MAX;
}

/* Enters the bytes of one block. */
static void enter_block(struct block_map *map, const struct oracle_stream *s,
			const struct oracle_block *b)
{
	for (uint64_t k = 0; k < b->nbytes; k++)
		map->numbers[s->offsets[b->stream_offset + k]] = map->nblocks;
}

void block_map_init(struct block_map *map, const struct blob *archive)
{
	struct picture picture;
	struct oracle oracle;
	struct plan plan = { 0 };

	*map = (struct block_map){ 0 };
	CHECK_STR_EQ(picture_read(&picture, archive->data, archive->nbytes),
		     NULL);
	CHECK(plan_read(picture.plan.data, picture.plan.nbytes, &plan, NULL) ==
	      NC3Z_OK);
	map->original_nbytes = picture.original_nbytes;
	map->numbers = calloc(map->original_nbytes + 1, sizeof(uint32_t));
	map->streams = calloc(picture.nblocks + 1, sizeof(uint32_t));
	map->blocks = calloc(picture.nblocks + 1, sizeof(uint32_t));
	if (!map->numbers || !map->streams || !map->blocks)
		abort();
	oracle_make(&oracle, &plan, map->original_nbytes);
	for (uint32_t i = 0; i < oracle.nstreams; i++)
		for (uint32_t b = 0; b < oracle.streams[i].nblocks; b++) {
			enter_block(map, &oracle.streams[i],
				    &oracle.streams[i].blocks[b]);
			map->streams[map->nblocks] = i;
			map->blocks[map->nblocks++] = b;
		}
	CHECK_EQ_U64(map->nblocks, picture.nblocks);
	oracle_release(&oracle);
	plan_release(&plan);
	picture_release(&picture);
}

void block_map_release(struct block_map *map)
{
	free(map->numbers);
	free(map->streams);
	free(map->blocks);
	*map = (struct block_map){ 0 };
}
