/* SPDX-License-Identifier: MIT */
#include "wreck.h"

#include "check.h"
#include "in_memory.h"
#include "oracle.h"

/* netCDF's fill values, and type numbers from 1. */
static const uint8_t fills[12][8] = {
	[1] = { 0x81 },
	[3] = { 0x80, 0x01 },
	[4] = { 0x80, 0, 0, 0x01 },
	[5] = { 0x7c, 0xf0 },
	[6] = { 0x47, 0x9e },
	[7] = { 0xff },
	[8] = { 0xff, 0xff },
	[9] = { 0xff, 0xff, 0xff, 0xff },
	[10] = { 0x80, 0, 0, 0, 0, 0, 0, 0x02 },
	[11] = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xfe },
};

static void fill_var(struct specimen *s, uint32_t v)
{
	const struct shape *shape = &s->shape;
	bool is_record = shape_is_record(shape, v);
	uint64_t nrecords = is_record ? shape->numrecs : 1;
	uint64_t width = shape_type_nbytes(shape->vars[v].type), nbytes = 0;

	CHECK(shape_var_nbytes(shape, v, &nbytes));
	for (uint64_t r = 0; r < nrecords; r++) {
		uint64_t at =
			shape->vars[v].begin + r * shape_record_nbytes(shape);

		for (uint64_t i = 0; i < nbytes; i++)
			s->filled.data[at + i] =
				fills[shape->vars[v].type][i % width];
	}
}

static void make_filled(struct specimen *s)
{
	size_t header_nbytes = (size_t)shape_header_nbytes(&s->shape);

	blob_put(&s->filled, s->original.data, header_nbytes);
	blob_fill(&s->filled, 0, s->original.nbytes - header_nbytes);
	for (uint32_t v = 0; v < s->shape.nvars; v++)
		fill_var(s, v);
}

static void pack(struct specimen *s, const struct specimen_setup *setup)
{
	struct nc3z_pack_options options;

	nc3z_pack_options_init(&options);
	options.nthreads = 1;
	options.codec = setup->codec;
	if (setup->codec == NC3Z_CODEC_STORE)
		options.level = 0;
	if (setup->block_nbytes > 0)
		options.block_nbytes = setup->block_nbytes;
	options.chunks = &setup->chunks;
	options.nchunks = setup->chunks ? 1 : 0;
	memory_pack(&s->original, &options, &s->archive);
}

static void find_owners(struct specimen *s)
{
	const struct picture *p = &s->picture;
	struct oracle oracle;
	struct plan plan;

	CHECK(plan_read(p->plan.data, p->plan.nbytes, &plan, NULL) == NC3Z_OK);
	oracle_make(&oracle, &plan, s->original.nbytes);
	s->owner = calloc(s->original.nbytes, sizeof(*s->owner));
	CHECK(s->owner);
	for (uint32_t i = 0; i < p->nblocks; i++) {
		const struct picture_block *b = &p->blocks[i];
		const struct oracle_stream *stream = &oracle.streams[b->stream];
		const struct oracle_block *o = &stream->blocks[b->block];

		for (uint64_t k = 0; k < o->nbytes; k++)
			s->owner[stream->offsets[o->stream_offset + k]] = i;
	}
	oracle_release(&oracle);
	plan_release(&plan);
}

void specimen_make(struct specimen *s, const struct specimen_setup *setup)
{
	uint64_t seed = setup->seed;

	*s = (struct specimen){ .name = setup->name };
	setup->shape(&s->shape);
	shape_place(&s->shape, 0);
	shape_file(&s->shape, shape_end(&s->shape), &seed, &s->original);
	make_filled(s);
	pack(s, setup);
	CHECK_STR_EQ(picture_read(&s->picture, s->archive.data,
				  s->archive.nbytes),
		     NULL);
	find_owners(s);
}

void specimen_release(struct specimen *s)
{
	picture_release(&s->picture);
	blob_release(&s->original);
	blob_release(&s->filled);
	blob_release(&s->archive);
	free(s->owner);
}

void wreck_keep(struct wreck *w, const struct specimen *s, size_t begin,
		size_t end)
{
	if (begin >= end || !CHECK(w->nkept < WRECK_KEPT_MAX))
		return;
	blob_put(&w->data, s->archive.data + begin, end - begin);
	w->kept[w->nkept].begin = begin;
	w->kept[w->nkept++].end = end;
}

void wreck_garbage(struct wreck *w, size_t nbytes, uint64_t *seed)
{
	uint8_t *p = blob_extend(&w->data, nbytes);

	for (size_t i = 0; i < nbytes; i++)
		p[i] = (uint8_t)check_random(seed);
}

void wreck_release(struct wreck *w)
{
	blob_release(&w->data);
	w->nkept = 0;
}

bool wreck_has(const struct wreck *w, size_t begin, size_t end)
{
	for (size_t i = 0; i < w->nkept; i++)
		if (w->kept[i].begin <= begin && end <= w->kept[i].end)
			return true;
	return false;
}

bool wreck_has_block(const struct wreck *w, const struct specimen *s,
		     size_t block)
{
	const struct picture_block *b = &s->picture.blocks[block];

	return wreck_has(w, b->offset,
			 b->offset + b->header_nbytes + b->payload_nbytes);
}

static bool any_has_block(const struct wreck *wrecks, size_t nwrecks,
			  const struct specimen *s, size_t block)
{
	for (size_t i = 0; i < nwrecks; i++)
		if (wreck_has_block(&wrecks[i], s, block))
			return true;
	return false;
}

/* Something of the end that is there in one piece. */
static bool any_has(const struct wreck *wrecks, size_t nwrecks, size_t begin,
		    size_t end)
{
	for (size_t i = 0; i < nwrecks; i++)
		if (wreck_has(&wrecks[i], begin, end))
			return true;
	return false;
}

static bool has_plan(const struct wreck *wrecks, size_t nwrecks,
		     const struct specimen *s)
{
	const struct picture *p = &s->picture;

	if (any_has(wrecks, nwrecks, 16, p->blocks[0].offset))
		return true;
	return picture_has_plan_copy(p) &&
	       any_has(wrecks, nwrecks, p->catalogue_offset, p->trailer_offset);
}

static bool has_header(const struct wreck *wrecks, size_t nwrecks,
		       const struct specimen *s)
{
	const struct picture *p = &s->picture;
	bool has_blocks = true;

	for (size_t i = 0; i < shape_header_nbytes(&s->shape); i++)
		has_blocks = has_blocks &&
			     any_has_block(wrecks, nwrecks, s, s->owner[i]);
	return has_blocks || (p->header_copy.nbytes > 0 &&
			      any_has(wrecks, nwrecks, p->header_copy_offset,
				      p->trailer_offset));
}

bool wrecks_can_be_salvaged(const struct wreck *wrecks, size_t nwrecks,
			    const struct specimen *s)
{
	bool any = false;

	for (size_t i = 0; i < s->picture.nblocks; i++)
		any = any || any_has_block(wrecks, nwrecks, s, i);
	return any && has_plan(wrecks, nwrecks, s) &&
	       has_header(wrecks, nwrecks, s);
}

/* Every block is as it was or, if it is lost, filled. */
static void check_contents(const struct wreck *wrecks, size_t nwrecks,
			   const struct specimen *s,
			   const struct blob *salvaged)
{
	size_t n = s->picture.nblocks, nwrong = 0;
	bool *is_there = calloc(n, sizeof(*is_there));
	bool *is_filled = calloc(n, sizeof(*is_filled));

	if (!CHECK(is_there && is_filled) ||
	    !CHECK_EQ_U64(salvaged->nbytes, s->original.nbytes))
		return;
	for (size_t i = 0; i < n; i++)
		is_there[i] = any_has_block(wrecks, nwrecks, s, i);
	for (size_t i = 0; i < salvaged->nbytes; i++)
		if (salvaged->data[i] != s->original.data[i])
			is_filled[s->owner[i]] = true;
	for (size_t i = 0; i < salvaged->nbytes; i++) {
		uint32_t block = s->owner[i];

		if (is_filled[block] &&
		    (is_there[block] || salvaged->data[i] != s->filled.data[i]))
			nwrong++;
	}
	CHECK_EQ_U64(nwrong, 0);
	free(is_there);
	free(is_filled);
}

static void check_salvage_report(const struct wreck *wrecks, size_t nwrecks,
				 const struct specimen *s,
				 const struct nc3z_salvage_report *r,
				 const struct blob *out)
{
	uint64_t nbytes = 0, nthere = 0;

	for (size_t i = 0; i < s->picture.nblocks; i++)
		nthere += any_has_block(wrecks, nwrecks, s, i);
	CHECK(r->nblocks_kept >= nthere);
	CHECK_EQ_U64(r->nblocks_kept + r->nblocks_made, s->picture.nblocks);
	CHECK_EQ_U64(r->summary.archive_nbytes, out->nbytes);
	CHECK_EQ_U64(r->summary.nblocks, s->picture.nblocks);
	for (size_t i = 0; i < r->nlosses; i++)
		nbytes += r->losses[i].nbytes;
	/* Lost padding is not listed. */
	CHECK(nbytes <= r->nbytes_lost);
	CHECK((nbytes == 0) == (r->nbytes_lost == 0) ||
	      r->nbytes_lost < 4 * (s->shape.numrecs + 1) * s->shape.nvars);
	if (r->has_original_sha256)
		CHECK_MEM_EQ(r->original_sha256, s->picture.sha256, 32);
	CHECK(!r->is_whole ||
	      memcmp(r->summary.sha256, s->picture.sha256, 32) == 0);
	if (r->is_whole)
		CHECK(out->nbytes == s->archive.nbytes &&
		      memcmp(out->data, s->archive.data, out->nbytes) == 0);
}

/* The archive is whole by the words of the specification, too. */
static void check_archive(const struct wreck *wrecks, size_t nwrecks,
			  const struct specimen *s, const struct blob *out)
{
	struct picture picture = { 0 };
	struct blob salvaged = { 0 };

	if (CHECK_STR_EQ(picture_read(&picture, out->data, out->nbytes),
			 NULL) &&
	    CHECK(memory_restore(out, &salvaged) == NC3Z_OK))
		check_contents(wrecks, nwrecks, s, &salvaged);
	picture_release(&picture);
	blob_release(&salvaged);
}

#define WRECKS_MAX 4

int wrecks_check(const struct wreck *wrecks, size_t nwrecks,
		 const struct specimen *s, struct blob *out_ret)
{
	struct nc3z_source *sources[WRECKS_MAX];
	struct nc3z_salvage_report *report = NULL;
	struct nc3z_error err = { 0 };
	struct nc3z_sink *sink = memory_sink();
	struct blob out = { 0 };
	int status;

	for (size_t i = 0; i < nwrecks; i++)
		sources[i] = memory_source(wrecks[i].data.data,
					   wrecks[i].data.nbytes);
	status = nc3z_salvage(sources, nwrecks, sink, NULL, &report, &err);
	CHECK(err.status == status);
	CHECK((report != NULL) == (status == NC3Z_OK));
	if (wrecks_can_be_salvaged(wrecks, nwrecks, s))
		CHECK(status == NC3Z_OK);
	else
		CHECK(status == NC3Z_OK || status == NC3Z_EDAMAGED ||
		      status == NC3Z_ENOTARCHIVE);
	memory_sink_take(sink, &out);
	if (status == NC3Z_OK) {
		check_archive(wrecks, nwrecks, s, &out);
		check_salvage_report(wrecks, nwrecks, s, report, &out);
	}
	nc3z_salvage_report_free(report);
	for (size_t i = 0; i < nwrecks; i++)
		nc3z_source_close(sources[i]);
	if (out_ret)
		*out_ret = out;
	else
		blob_release(&out);
	return status;
}
