/* SPDX-License-Identifier: MIT */
/*
 * Chunks filled from the blocks of archives of other layouts, beside the
 * original's bytes; and which blocks that decodes, beside a list of which bytes
 * are in which block.
 */
#include "convert/filler.h"

#include "check.h"
#include "oracle.h"
#include "packed.h"
#include "shape.h"
#include "write/pack_shape.h"

#define CANARY 0xa7
#define NCHUNKS_MAX 5

/* An archive, the plan of another layout, and where each has what. */
struct subject {
	struct blob original;
	struct blob archive;
	struct nc3z_file *file;
	struct pack_shape target;
	struct plan_map map; /* of the target, without end */
	struct oracle from, to;
	uint64_t *from_block; /* of each byte, counted through all streams */
	uint64_t nblocks;     /* of the archive */
};

/* Variables of all sizes, some of which go into the rest; maybe cut off. */
static void make_original(struct subject *s, uint64_t *seed)
{
	struct shape shape = { .version = 2, .ndims = 5, .nvars = 6 };
	uint64_t end;

	for (uint32_t i = 1; i < shape.ndims; i++)
		shape.dims[i] = 2 + check_random_below(seed, 22);
	shape.numrecs = check_random_below(seed, 60);
	for (uint32_t v = 0; v < shape.nvars; v++) {
		struct shape_var *var = &shape.vars[v];

		var->type = 1 + (uint32_t)check_random_below(seed, 6);
		var->rank = 1 + (uint32_t)check_random_below(seed, 4);
		for (uint32_t k = 0; k < var->rank; k++)
			var->dimids[k] = v % 2 + k;
	}
	shape_place(&shape, check_random_below(seed, 9));
	end = shape_end(&shape);
	if (check_random_below(seed, 4) == 0)
		end -= check_random_below(seed, end - shape.vars[1].begin);
	shape_file(&shape, end, seed, &s->original);
}

static void find_blocks(struct subject *s)
{
	s->from_block = calloc(s->original.nbytes + 1, sizeof(uint64_t));
	for (uint32_t i = 0; i < s->from.nstreams; i++) {
		const struct oracle_stream *stream = &s->from.streams[i];

		for (uint64_t b = 0; b < stream->nblocks; b++) {
			const struct oracle_block *block = &stream->blocks[b];

			for (uint64_t k = 0; k < block->nbytes; k++)
				s->from_block
					[stream->offsets[block->stream_offset +
							 k]] = s->nblocks + b;
		}
		s->nblocks += stream->nblocks;
	}
}

static bool subject_init(struct subject *s, uint64_t *seed)
{
	struct nc3z_pack_options options;
	struct pack_settings settings;
	struct manner manner = { .block_nbytes = 4096 };
	char from[80], to[80];
	const char *chunks = shape_random_chunks(to, seed);

	*s = (struct subject){ 0 };
	make_original(s, seed);
	if (check_random_below(seed, 3) > 0)
		manner.chunks = shape_random_chunks(from, seed);
	s->archive = packed_make(&s->original, &manner);
	s->file = packed_open(&s->archive, &manner);
	nc3z_pack_options_init(&options);
	options.chunks = &chunks;
	options.nchunks = 1;
	CHECK(pack_settings_init(&settings, &options, NULL) == NC3Z_OK);
	if (!s->file || !CHECK(pack_shape_init(&s->target, &s->file->header,
					       &settings, NULL) == NC3Z_OK))
		return false;
	oracle_make(&s->from, &s->file->plan, s->original.nbytes);
	oracle_make(&s->to, &s->target.plan, s->original.nbytes);
	find_blocks(s);
	return CHECK(plan_map_init(&s->map, &s->target.plan, PLAN_OFFSET_END,
				   NULL) == NC3Z_OK);
}

static void subject_release(struct subject *s)
{
	plan_map_release(&s->map);
	oracle_release(&s->from);
	oracle_release(&s->to);
	pack_shape_release(&s->target);
	nc3z_close(s->file);
	blob_release(&s->archive);
	blob_release(&s->original);
	free(s->from_block);
}

/* Some chunks of a stream one after the other, to be filled together. */
struct group {
	uint32_t stream;
	size_t nchunks;
	struct open_block chunks[NCHUNKS_MAX];
	uint64_t nbytes[NCHUNKS_MAX]; /* for which there is room */
};

static void group_init(struct group *g, const struct subject *s,
		       uint32_t stream, uint64_t first, size_t nchunks)
{
	*g = (struct group){ .stream = stream, .nchunks = nchunks };
	for (size_t i = 0; i < nchunks; i++) {
		g->chunks[i].block = first + i;
		g->nbytes[i] =
			plan_block_numbered(&s->map, stream, first + i).nbytes;
		g->chunks[i].raw = malloc((size_t)g->nbytes[i]);
		if (!g->chunks[i].raw)
			abort();
		memset(g->chunks[i].raw, CANARY, (size_t)g->nbytes[i]);
	}
}

static void group_release(struct group *g)
{
	for (size_t i = 0; i < g->nchunks; i++)
		free(g->chunks[i].raw);
}

/* What the original has of the chunks is there, and nothing else is written. */
static void check_bytes(const struct subject *s, const struct group *g)
{
	const struct oracle_stream *to = &s->to.streams[g->stream];

	for (size_t i = 0; i < g->nchunks; i++) {
		const struct oracle_block *b = &to->blocks[g->chunks[i].block];
		const uint8_t *raw = g->chunks[i].raw;
		uint64_t nwrong = 0;

		REQUIRE(b->nbytes <= g->nbytes[i]);
		for (uint64_t k = 0; k < b->nbytes; k++)
			nwrong +=
				raw[k] !=
				s->original.data[to->offsets[b->stream_offset +
							     k]];
		for (uint64_t k = b->nbytes; k < g->nbytes[i]; k++)
			nwrong += raw[k] != CANARY;
		CHECK_EQ_U64(nwrong, 0);
	}
}

/* Adds the blocks that have bytes of the chunks, each once. */
static uint64_t add_expected(const struct subject *s, const struct group *g,
			     uint32_t *times)
{
	const struct oracle_stream *to = &s->to.streams[g->stream];
	uint8_t *has_any = calloc(s->nblocks + 1, 1);
	uint64_t n = 0;

	for (size_t i = 0; i < g->nchunks; i++) {
		const struct oracle_block *b = &to->blocks[g->chunks[i].block];

		for (uint64_t k = 0; k < b->nbytes; k++)
			has_any[s->from_block[to->offsets[b->stream_offset +
							  k]]] = 1;
	}
	for (uint64_t b = 0; b < s->nblocks; b++) {
		times[b] += has_any[b];
		n += has_any[b];
	}
	free(has_any);
	return n;
}

/* All chunks of a stream, some at a time; how many there are. */
static uint64_t fill_stream(struct filler *f, const struct subject *s,
			    uint32_t stream, uint32_t *times, uint64_t *seed)
{
	uint64_t nchunks = s->to.streams[stream].nblocks, at = 0;

	while (at < nchunks) {
		size_t n = 1 + (size_t)check_random_below(seed, NCHUNKS_MAX);
		uint64_t before = s->file->nblocks_decoded, expected;
		struct group g;

		if (n > nchunks - at)
			n = (size_t)(nchunks - at);
		group_init(&g, s, stream, at, n);
		CHECK(filler_count(f, &s->map, stream, g.chunks, n, NULL) ==
		      NC3Z_OK);
		CHECK(filler_fill(f, &s->map, stream, g.chunks, n, NULL) ==
		      NC3Z_OK);
		check_bytes(s, &g);
		expected = add_expected(s, &g, times);
		CHECK_EQ_U64(s->file->nblocks_decoded - before, expected);
		group_release(&g);
		at += n;
	}
	return nchunks;
}

static void test_random(void)
{
	uint64_t seed = 33, nchunks = 0, nstreams = 0;

	for (int i = 0; i < 60; i++) {
		struct filler f = { 0 };
		struct decodings d;
		struct subject s;
		uint32_t *times;

		REQUIRE(subject_init(&s, &seed));
		REQUIRE(decodings_init(&d, &s.file->map, NULL) == NC3Z_OK);
		REQUIRE(filler_init(&f, s.file, 1 + (unsigned)i % 3, NULL) ==
			NC3Z_OK);
		f.decodings = &d;
		times = calloc(s.nblocks + 1, sizeof(*times));
		for (uint32_t k = 0; k < s.target.plan.nstreams; k++) {
			if (!s.target.plan.streams[k].grid)
				continue;
			nchunks += fill_stream(&f, &s, k, times, &seed);
			nstreams++;
		}
		CHECK_EQ_U64(d.nblocks, s.nblocks);
		CHECK_MEM_EQ(d.times, times, s.nblocks * sizeof(*times));
		free(times);
		filler_release(&f);
		decodings_release(&d);
		subject_release(&s);
	}
	CHECK(nstreams > 80 && nchunks > 10000);
}

int main(void)
{
	RUN(test_random);
	return check_report();
}
