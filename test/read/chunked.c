/* SPDX-License-Identifier: MIT */
#include "chunked.h"

#include <openssl/sha.h>

#include "archive/archive.h"
#include "block/block.h"
#include "check.h"
#include "plan/shape.h"
#include "plan/chunk_rows.h"

struct job {
	const struct blob *file;
	struct classic_header header;
	struct plan plan;
	struct plan_map map;
	struct archive_writer writer;
	struct buffer plan_bytes;
	struct nc3z_sink *sink;
	struct block_coder coder;
	struct block_stored stored;
	struct block_recipe recipe;
};

/* False if the stream has to stay as it is. */
static bool chunk_stream(const struct job *j, struct plan_stream *s,
			 uint64_t *seed)
{
	uint32_t variable = s->members[0].variable;
	const struct classic_var *var;
	uint64_t nelems;

	if (s->nmembers != 1 || variable >= j->header.nvars)
		return false;
	var = &j->header.vars[variable];
	if (var->ndims < 1 || var->ndims > PLAN_RANK_MAX ||
	    !classic_var_nelems(&j->header, var, &nelems) ||
	    nelems * s->width != s->members[0].nbytes)
		return false;
	s->grid = plan_grid_new((uint32_t)var->ndims);
	for (size_t k = 0; k < var->ndims; k++) {
		uint64_t length = j->header.dims[var->dimids[k]].length;
		uint64_t most = length ? length : j->header.numrecs + 3;

		if (check_random_below(seed, 3) == 0)
			most = 1 + most / 3;
		s->grid->dims[k].length = length;
		s->grid->dims[k].chunk =
			(uint32_t)(1 + check_random_below(seed, most));
	}
	return true;
}

/* Without a seed nothing is chunked. */
static bool make_plan(struct job *j, uint64_t *seed, uint32_t *n_ret)
{
	struct plan_hint *hints = NULL;
	struct plan shaped, *plan = &j->plan;
	struct layout layout;
	bool more, ok;

	*n_ret = 0;
	ok = CHECK(classic_header_parse(j->file->data, j->file->nbytes, true,
					&j->header, &more, NULL) == NC3Z_OK) &&
	     CHECK(layout_of_header(&j->header, &layout, NULL) == NC3Z_OK) &&
	     CHECK(plan_shape(&j->header, &layout,
			      &(struct plan_shaping){ .block_nbytes = 4096 },
			      &shaped, &hints, NULL) == NC3Z_OK);
	if (!ok)
		return false;
	for (uint32_t i = 0; seed && i < shaped.nstreams; i++)
		*n_ret += chunk_stream(j, &shaped.streams[i], seed);
	/* As it is written and read again. */
	ok = plan_write(&shaped, &j->plan_bytes) &&
	     CHECK(plan_read(j->plan_bytes.data, j->plan_bytes.nbytes, plan,
			     NULL) == NC3Z_OK) &&
	     CHECK(plan_map_init(&j->map, plan, j->file->nbytes, NULL) ==
		   NC3Z_OK);
	plan_release(&shaped);
	layout_release(&layout);
	free(hints);
	return ok;
}

static void fill_chunk(const struct job *j, uint32_t stream, uint64_t block,
		       uint8_t *raw)
{
	struct plan_chunk_rows rows;
	const struct plan_chunk_row *row;

	plan_chunk_rows_begin(&j->map, stream, block, &rows);
	while ((row = plan_chunk_rows_next(&rows)))
		memcpy(raw + row->chunk_offset, j->file->data + row->offset,
		       row->nbytes);
}

/* Bytes of linear streams, by their offsets in the file. */
static void fill_linear(const struct job *j, uint8_t **streams)
{
	uint64_t offset = 0;

	while (offset < j->file->nbytes) {
		struct plan_run run = plan_run_at(&j->map, offset);

		if (!j->plan.streams[run.stream].grid)
			memcpy(streams[run.stream] + run.stream_offset,
			       j->file->data + offset, (size_t)run.nbytes);
		offset += run.nbytes;
	}
}

static bool put_block(struct job *j, uint32_t stream,
		      const struct plan_block *b, const uint8_t *raw)
{
	struct block_recipe recipe = j->recipe;
	size_t nbytes = (size_t)b->nbytes;
	struct archive_block block = {
		.stream = stream,
		.block = (uint32_t)b->block,
		.raw_nbytes = (uint32_t)b->nbytes,
		.raw_crc = crc32_of(raw, nbytes),
	};
	bool collides = false;

	/* Header, padding and the like are bytes, whatever variables are. */
	if (recipe.width > j->plan.streams[stream].width)
		recipe.width = j->plan.streams[stream].width;
	recipe.is_float = recipe.is_float && recipe.width >= 4;
	if (filter_chain_width_min(&recipe.chain) > recipe.width)
		recipe.chain = (struct filter_chain){ 0 };
	if (j->writer.index.nblocks == 0 &&
	    archive_identity(j->plan_bytes.data, j->plan_bytes.nbytes, raw,
			     nbytes, j->writer.identity, NULL) != NC3Z_OK)
		return false;
	if (block_encode(&j->coder, &recipe, raw, nbytes, &j->stored, NULL) !=
	    NC3Z_OK)
		return false;
	block.description = j->stored.description.data;
	block.description_nbytes = j->stored.description.nbytes;
	block.payload = j->stored.payload.data;
	block.payload_nbytes = j->stored.payload.nbytes;
	return archive_writer_block(&j->writer, &block, &collides, NULL) ==
		       NC3Z_OK &&
	       !collides;
}

static bool put_blocks(struct job *j, uint32_t stream, const uint8_t *bytes)
{
	bool ok = true;

	for (uint64_t i = 0; ok && i < j->map.extents[stream].nblocks; i++) {
		struct plan_block b = plan_block_numbered(&j->map, stream, i);
		uint8_t *raw = malloc((size_t)b.nbytes);

		if (j->plan.streams[stream].grid)
			fill_chunk(j, stream, i, raw);
		else
			memcpy(raw, bytes + b.stream_offset, (size_t)b.nbytes);
		ok = put_block(j, stream, &b, raw);
		free(raw);
	}
	return ok;
}

static bool put_end(struct job *j)
{
	uint32_t nstreams = j->plan.nstreams;
	struct archive_catalogue c = {
		.original_nbytes = j->file->nbytes,
		.nstreams = nstreams,
		.stream_nbytes = calloc(nstreams, sizeof(uint64_t)),
		.stream_nblocks = calloc(nstreams, sizeof(uint32_t)),
		.plan = j->plan_bytes.data,
		.plan_nbytes = j->plan_bytes.nbytes,
	};
	struct archive_copies copies = { 0 };
	bool ok;

	memcpy(c.identity, j->writer.identity, sizeof(c.identity));
	SHA256(j->file->data, j->file->nbytes, c.sha256);
	for (uint32_t i = 0; i < nstreams; i++) {
		c.stream_nbytes[i] = j->map.extents[i].nbytes;
		c.stream_nblocks[i] = (uint32_t)j->map.extents[i].nblocks;
	}
	copies.header.data = j->file->data;
	copies.header.nbytes = (size_t)j->plan.header_nbytes;
	ok = archive_writer_end(&j->writer, &c, &copies, NULL) == NC3Z_OK;
	catalogue_release(&c);
	return ok;
}

static bool put_all(struct job *j)
{
	uint32_t nstreams = j->plan.nstreams;
	uint8_t **streams = calloc(nstreams, sizeof(*streams));
	bool ok;

	for (uint32_t i = 0; i < nstreams; i++)
		streams[i] = malloc((size_t)j->map.extents[i].nbytes + 1);
	fill_linear(j, streams);
	ok = archive_writer_begin(&j->writer, j->sink, &j->plan_bytes, nstreams,
				  NULL) == NC3Z_OK;
	for (uint32_t i = 0; i < nstreams; i++) {
		ok = ok && put_blocks(j, i, streams[i]);
		free(streams[i]);
	}
	free(streams);
	return ok && put_end(j);
}

static struct blob make(struct job *j, uint64_t *seed, uint32_t *n_ret)
{
	struct blob archive = { 0 };
	const void *data;
	size_t nbytes;

	CHECK(nc3z_sink_open_memory(SIZE_MAX, &j->sink, NULL) == NC3Z_OK);
	if (make_plan(j, seed, n_ret) && CHECK(put_all(j))) {
		data = nc3z_sink_memory(j->sink, &nbytes);
		blob_put(&archive, data, nbytes);
	}
	nc3z_sink_close(j->sink);
	archive_writer_release(&j->writer);
	block_coder_release(&j->coder);
	block_stored_release(&j->stored);
	buffer_release(&j->plan_bytes);
	plan_map_release(&j->map);
	plan_release(&j->plan);
	classic_header_release(&j->header);
	return archive;
}

struct blob chunked_make(const struct blob *file, uint64_t *seed,
			 uint32_t *n_ret)
{
	struct job j = {
		.file = file,
		.recipe = { .codec = NC3Z_CODEC_DEFLATE,
			    .level = 1,
			    .width = 1 },
	};

	return make(&j, seed, n_ret);
}

struct blob recipe_make(const struct blob *file,
			const struct block_recipe *recipe)
{
	struct job j = { .file = file, .recipe = *recipe };
	uint32_t nchunked;

	return make(&j, NULL, &nchunked);
}
