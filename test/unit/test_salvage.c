/* SPDX-License-Identifier: MIT */
/*
 * Archives cut at every length, with sectors overwritten, pieces taken out,
 * garbage around them: every block that is left is in the salvaged archive,
 * everything else is a fill value.
 */
#include "check.h"
#include "in_memory.h"
#include "wreck.h"

static void mixed(struct shape *shape)
{
	static const struct shape_var vars[] = {
		{ .type = 5, .rank = 3, .dimids = { 0, 1, 2 } },
		{ .type = 4, .rank = 2, .dimids = { 1, 2 } },
		{ .type = 3, .rank = 1, .dimids = { 1 } },
		{ .type = 6, .rank = 1, .dimids = { 0 } },
		{ .type = 2, .rank = 1, .dimids = { 3 } },
	};

	*shape = (struct shape){ .version = 2,
				 .numrecs = 5,
				 .ndims = 4,
				 .dims = { 0, 30, 50, 7 },
				 .natts = 2,
				 .nvars = 5 };
	memcpy(shape->vars, vars, sizeof(vars));
}

/* Many small record variables, of types that are padded: groups and panels. */
static void groups(struct shape *shape)
{
	*shape = (struct shape){ .version = 5,
				 .numrecs = 40,
				 .ndims = 2,
				 .dims = { 0, 21 },
				 .nvars = 20 };
	for (uint32_t i = 0; i < shape->nvars; i++)
		shape->vars[i] = (struct shape_var){ .type = 1 + i % 11,
						     .rank = 2,
						     .dimids = { 0, 1 } };
}

static void fixed(struct shape *shape)
{
	static const struct shape_var vars[] = {
		{ .type = 6, .rank = 2, .dimids = { 0, 1 } },
		{ .type = 3, .rank = 2, .dimids = { 0, 1 } },
		{ .type = 1, .rank = 1, .dimids = { 0 } },
	};

	*shape = (struct shape){
		.version = 1, .ndims = 2, .dims = { 41, 51 }, .nvars = 3
	};
	memcpy(shape->vars, vars, sizeof(vars));
}

/* Large enough for copies of header and plan. */
static void large(struct shape *shape)
{
	static const struct shape_var vars[] = {
		{ .type = 6, .rank = 2, .dimids = { 0, 1 } },
		{ .type = 5, .rank = 2, .dimids = { 0, 1 } },
		{ .type = 4, .rank = 1, .dimids = { 1 } },
	};

	*shape = (struct shape){ .version = 5,
				 .numrecs = 60,
				 .ndims = 2,
				 .dims = { 0, 2000 },
				 .nvars = 3 };
	memcpy(shape->vars, vars, sizeof(vars));
}

/* Small enough for no copies but those that are little of it. */
static void middling(struct shape *shape)
{
	static const struct shape_var vars[] = {
		{ .type = 3, .rank = 1, .dimids = { 1 } },
		{ .type = 5, .rank = 2, .dimids = { 1, 2 } },
		{ .type = 2, .rank = 1, .dimids = { 1 } },
		{ .type = 4, .rank = 2, .dimids = { 0, 2 } },
	};

	*shape = (struct shape){ .version = 1,
				 .numrecs = 4,
				 .ndims = 3,
				 .dims = { 0, 40, 200 },
				 .nvars = 4 };
	memcpy(shape->vars, vars, sizeof(vars));
}

static void tiny(struct shape *shape)
{
	*shape = (struct shape){ .version = 1, .natts = 1 };
}

static const struct specimen_setup setups[] = {
	{ "mixed", mixed, 7, 4096, NC3Z_CODEC_ZSTD, NULL },
	{ "bzip2", mixed, 8, 4096, NC3Z_CODEC_BZIP2, NULL },
	{ "groups", groups, 9, 4096, NC3Z_CODEC_DEFLATE, NULL },
	{ "fixed", fixed, 10, 4096, NC3Z_CODEC_STORE, NULL },
	{ "odd", groups, 14, 4099, NC3Z_CODEC_DEFLATE, NULL },
	{ "odd fixed", fixed, 15, 5003, NC3Z_CODEC_DEFLATE, NULL },
	{ "chunks", mixed, 11, 4096, NC3Z_CODEC_ZSTD, "d1/8,d2/20,d0/2" },
	{ "tiny", tiny, 12, 0, NC3Z_CODEC_ZSTD, NULL },
	{ "large", large, 13, 65536, NC3Z_CODEC_STORE, NULL },
	{ "middling", middling, 16, 4096, NC3Z_CODEC_STORE, NULL },
};
#define NSETUPS (sizeof(setups) / sizeof(*setups))

/* "./dev valgrind" says so. */
static bool is_slow(void)
{
	const char *text = getenv("NC3Z_SANITIZE");

	return text && *text;
}

/* Fewer places then, and of large archives. */
static size_t step_of(const struct specimen *s, size_t nplaces)
{
	if (is_slow() || s->archive.nbytes > 1 << 17)
		nplaces /= 8;
	return 1 + s->archive.nbytes / (nplaces + 1);
}

static void each_specimen(void (*test)(const struct specimen *s))
{
	for (size_t i = 0; i < NSETUPS; i++) {
		unsigned long nfailed = check_state.nfailed;
		struct specimen s;

		specimen_make(&s, &setups[i]);
		test(&s);
		if (check_state.nfailed > nfailed)
			printf("specimen %s\n", s.name);
		specimen_release(&s);
	}
}

static void check_whole(const struct specimen *s)
{
	struct wreck w = { 0 };

	wreck_keep(&w, s, 0, s->archive.nbytes);
	CHECK(wrecks_check(&w, 1, s, NULL) == NC3Z_OK);
	wreck_release(&w);
}

static void test_whole(void)
{
	each_specimen(check_whole);
}

static void check_cuts(const struct specimen *s)
{
	size_t step = step_of(s, 60);

	for (size_t n = 0; n < s->archive.nbytes; n += step) {
		struct wreck w = { 0 };

		wreck_keep(&w, s, 0, n);
		wrecks_check(&w, 1, s, NULL);
		wreck_release(&w);
		wreck_keep(&w, s, n, s->archive.nbytes);
		wrecks_check(&w, 1, s, NULL);
		wreck_release(&w);
	}
}

static void test_cuts(void)
{
	each_specimen(check_cuts);
}

/* Sectors of zeros or garbage, one after the other or several. */
static void check_sectors(const struct specimen *s)
{
	const size_t sector = 512;
	size_t step = step_of(s, 50);
	uint64_t seed = s->archive.nbytes;

	step = step < sector ? sector : step;
	for (size_t at = 0; at < s->archive.nbytes; at += step) {
		size_t end = at + sector < s->archive.nbytes ?
				     at + sector :
				     s->archive.nbytes;
		struct wreck w = { 0 };

		wreck_keep(&w, s, 0, at);
		if (at / step % 2)
			wreck_garbage(&w, end - at, &seed);
		else
			blob_fill(&w.data, 0, end - at);
		wreck_keep(&w, s, end, s->archive.nbytes);
		wrecks_check(&w, 1, s, NULL);
		wreck_release(&w);
	}
}

static void test_sectors(void)
{
	each_specimen(check_sectors);
}

/*
 * A burst anywhere, also across the beginning or the end, costs an archive with
 * a copy of its header no more than the blocks that it hits.
 */
static void check_bursts(const struct specimen *s)
{
	size_t n = s->archive.nbytes, burst = n < 1000000 ? 4096 : 65536;
	size_t step = n < 1000000 ? step_of(s, 150) : burst / 2;
	uint64_t seed = n;

	if (s->picture.header_copy.nbytes == 0)
		return;
	for (size_t end = step; end < n + burst; end += step) {
		struct wreck w = { 0 };

		wreck_keep(&w, s, 0, end < burst ? 0 : end - burst);
		wreck_garbage(&w, (end < n ? end : n) - w.data.nbytes, &seed);
		wreck_keep(&w, s, end, n);
		CHECK(wrecks_check(&w, 1, s, NULL) == NC3Z_OK);
		wreck_release(&w);
	}
}

static void test_bursts(void)
{
	struct specimen s;

	each_specimen(check_bursts);
	specimen_make(&s, &setups[NSETUPS - 1]);
	CHECK(s.picture.header_copy.nbytes > 0 && s.archive.nbytes < 1 << 16);
	specimen_release(&s);
}

/* Pieces taken out, garbage around and between what is left. */
static void check_pieces(const struct specimen *s)
{
	size_t nrounds = is_slow() ? 5 : 12;
	uint64_t seed = 3 * s->archive.nbytes;

	for (size_t i = 0; i < nrounds; i++) {
		struct wreck w = { 0 };
		size_t at = 0;

		wreck_garbage(&w, check_random_below(&seed, 3000), &seed);
		while (at < s->archive.nbytes && w.nkept < 5) {
			size_t end = at + 1 +
				     check_random_below(&seed,
							s->archive.nbytes - at);

			wreck_keep(&w, s, at, end);
			if (check_random_below(&seed, 2))
				wreck_garbage(&w,
					      check_random_below(&seed, 900),
					      &seed);
			at = end + check_random_below(
					   &seed, 1 + s->archive.nbytes / 8);
		}
		wrecks_check(&w, 1, s, NULL);
		wreck_release(&w);
	}
}

static void test_pieces(void)
{
	each_specimen(check_pieces);
}

/* A stretch that is there again, at its end, elsewhere or over other bytes. */
static void check_repeats(const struct specimen *s)
{
	size_t n = s->archive.nbytes, nrounds = is_slow() ? 6 : 24;
	uint64_t seed = 7 * n;

	for (size_t i = 0; i < nrounds; i++) {
		struct wreck w = { 0 };
		size_t at = check_random_below(&seed, n + 1);
		size_t from = check_random_below(&seed, n);
		size_t nbytes = check_random_below(&seed, n - from + 1);

		if (i % 4 == 0)
			from = check_random_below(&seed, at + 1);
		if (i % 4 == 0)
			nbytes = at - from;
		wreck_keep(&w, s, 0, at);
		wreck_keep(&w, s, from, from + nbytes);
		if (i % 4 == 1)
			at = n - at < nbytes ? n : at + nbytes;
		wreck_keep(&w, s, at, n);
		if (i % 4 == 2)
			wreck_keep(&w, s, from, n);
		wrecks_check(&w, 1, s, NULL);
		wreck_release(&w);
	}
}

static void test_repeats(void)
{
	each_specimen(check_repeats);
}

/* Two copies, each damaged elsewhere: whole again if every block is left. */
static void check_merge(const struct specimen *s)
{
	size_t n = s->archive.nbytes, nwhole = 0;
	size_t nrounds = is_slow() ? 4 : 12;
	uint64_t seed = 5 * n;

	for (size_t i = 0; i < nrounds; i++) {
		struct wreck w[3] = { { { 0 }, { { 0 } }, 0 } };
		size_t half = check_random_below(&seed, n);
		size_t other = check_random_below(&seed, n);
		struct blob out = { 0 };

		wreck_keep(&w[0], s, 0, half);
		wreck_garbage(&w[1], half, &seed);
		wreck_keep(&w[1], s, half, n);
		wreck_keep(&w[2], s, 0, other);
		wreck_garbage(&w[2], 100, &seed);
		wrecks_check(w, 2, s, NULL);
		if (wrecks_check(w, 3, s, &out) == NC3Z_OK)
			nwhole += out.nbytes == n &&
				  memcmp(out.data, s->archive.data, n) == 0;
		blob_release(&out);
		for (size_t k = 0; k < 3; k++)
			wreck_release(&w[k]);
	}
	/* Of few rounds, perhaps none. */
	if (s->picture.nblocks > 1 && !is_slow())
		CHECK(nwhole > 0);
}

static void test_merge(void)
{
	each_specimen(check_merge);
}

/* A block is in one copy, its neighbours in the other. */
static void test_merge_is_whole(void)
{
	struct wreck w[2] = { { { 0 }, { { 0 } }, 0 } };
	const struct picture_block *b;
	struct blob out = { 0 };
	struct specimen s;
	uint64_t seed = 1;

	specimen_make(&s, &setups[0]);
	b = &s.picture.blocks[3];
	wreck_keep(&w[0], &s, 0, b->offset + 9);
	wreck_garbage(&w[0], 33, &seed);
	wreck_keep(&w[0], &s, b->offset + 42, s.archive.nbytes);
	wreck_keep(&w[1], &s, b->offset, b[1].offset);
	CHECK(wrecks_check(w, 2, &s, &out) == NC3Z_OK);
	CHECK(out.nbytes == s.archive.nbytes);
	CHECK_MEM_EQ(out.data, s.archive.data, out.nbytes);
	blob_release(&out);
	wreck_release(&w[0]);
	wreck_release(&w[1]);
	specimen_release(&s);
}

/* Salvages bytes; the archive and, if it is wanted, the report. */
static int salvage(const struct blob *in, unsigned archive, struct blob *out,
		   struct nc3z_salvage_report **report_ret)
{
	struct nc3z_source *source = memory_source(in->data, in->nbytes);
	struct nc3z_sink *sink = memory_sink();
	struct nc3z_salvage_options options;
	int status;

	nc3z_salvage_options_init(&options);
	options.archive = archive;
	status = nc3z_salvage(&source, 1, sink, &options, report_ret, NULL);
	memory_sink_take(sink, out);
	nc3z_source_close(source);
	return status;
}

/*
 * Archives of files that begin alike have one identity.  Side by side on a disk
 * they are told apart, whatever is lost between them.
 */
static void make_sisters(struct specimen *a, struct specimen *b)
{
	specimen_make(a, &setups[0]);
	specimen_make(b, &setups[0]);
	/* The first block stays, later values differ. */
	blob_release(&b->archive);
	picture_release(&b->picture);
	for (size_t i = 0; i < b->original.nbytes; i++)
		if (b->owner[i] > 0 && i >= shape_header_nbytes(&b->shape))
			b->original.data[i] ^= 0x55;
}

static void pack_again(struct specimen *s)
{
	struct nc3z_pack_options options;

	nc3z_pack_options_init(&options);
	options.block_nbytes = 4096;
	memory_pack(&s->original, &options, &s->archive);
	CHECK_STR_EQ(picture_read(&s->picture, s->archive.data,
				  s->archive.nbytes),
		     NULL);
}

static void check_image(const struct specimen *a, const struct specimen *b)
{
	struct nc3z_salvage_report *report = NULL;
	struct blob image = { 0 }, out = { 0 };

	blob_fill(&image, 0xe5, 1234);
	blob_put(&image, a->archive.data, a->archive.nbytes);
	blob_fill(&image, 0, 77);
	blob_put(&image, b->archive.data, b->archive.nbytes);
	blob_put(&image, a->archive.data, 200);
	CHECK(salvage(&image, 1, &out, &report) == NC3Z_OK);
	CHECK(out.nbytes == a->archive.nbytes &&
	      memcmp(out.data, a->archive.data, out.nbytes) == 0);
	CHECK(report->is_whole && report->nothers >= 1);
	CHECK_EQ_U64(report->offset, 1234);
	nc3z_salvage_report_free(report);
	blob_release(&out);
	CHECK(salvage(&image, 2, &out, &report) == NC3Z_OK);
	CHECK(out.nbytes == b->archive.nbytes &&
	      memcmp(out.data, b->archive.data, out.nbytes) == 0);
	CHECK(report->is_whole);
	nc3z_salvage_report_free(report);
	CHECK(salvage(&image, 9, &out, NULL) == NC3Z_EINVAL);
	blob_release(&out);
	blob_release(&image);
}

/* The end of one and the beginning of the other are lost: never mixed. */
static void check_gap(const struct specimen *a, const struct specimen *b,
		      size_t cut_a, size_t cut_b, size_t end_b)
{
	struct blob image = { 0 }, out = { 0 }, original = { 0 };
	struct picture picture = { 0 };
	size_t of_a = 0, of_b = 0, header = shape_header_nbytes(&a->shape);

	blob_put(&image, a->archive.data, cut_a);
	blob_put(&image, b->archive.data + cut_b, end_b - cut_b);
	if (salvage(&image, 0, &out, NULL) == NC3Z_OK &&
	    CHECK_STR_EQ(picture_read(&picture, out.data, out.nbytes), NULL) &&
	    CHECK(memory_restore(&out, &original) == NC3Z_OK)) {
		for (size_t i = header; i < original.nbytes; i++) {
			uint8_t is = original.data[i];

			if (is == a->filled.data[i] ||
			    a->original.data[i] == b->original.data[i])
				continue;
			of_a += is == a->original.data[i];
			of_b += is == b->original.data[i];
		}
		CHECK(of_a == 0 || of_b == 0);
	}
	picture_release(&picture);
	blob_release(&original);
	blob_release(&out);
	blob_release(&image);
}

static void test_sisters(void)
{
	struct specimen a, b;
	const struct picture_block *p, *q;

	make_sisters(&a, &b);
	pack_again(&b);
	p = a.picture.blocks;
	q = b.picture.blocks;
	CHECK_MEM_EQ(a.picture.identity, b.picture.identity, 8);
	check_image(&a, &b);
	for (size_t i = 1; i + 2 < a.picture.nblocks; i++)
		for (size_t k = 1; k + 2 < b.picture.nblocks; k++)
			check_gap(&a, &b, p[i].offset, q[k].offset,
				  b.archive.nbytes);
	/* Without an index, by the order of blocks. */
	for (size_t i = 2; i < a.picture.nblocks; i++)
		for (size_t k = 1; k < i; k++)
			check_gap(&a, &b, p[i].offset, q[k].offset,
				  b.picture.index_offset);
	specimen_release(&a);
	specimen_release(&b);
}

/* Two copies that are none. */
static void test_strangers(void)
{
	struct nc3z_source *sources[2];
	struct specimen a, b;
	struct nc3z_sink *sink;

	make_sisters(&a, &b);
	pack_again(&b);
	/* Without the catalogue, by their blocks alone. */
	for (int i = 0; i < 2; i++) {
		size_t lost = i ? 0 : 1;

		sources[0] = memory_source(a.archive.data,
					   lost ? a.picture.index_offset :
						  a.archive.nbytes);
		sources[1] = memory_source(b.archive.data,
					   lost ? b.picture.index_offset :
						  b.archive.nbytes);
		sink = memory_sink();
		CHECK(nc3z_salvage(sources, 2, sink, NULL, NULL, NULL) ==
		      NC3Z_EINVAL);
		nc3z_sink_close(sink);
		nc3z_source_close(sources[0]);
		nc3z_source_close(sources[1]);
	}
	specimen_release(&a);
	specimen_release(&b);
}

/* The plan is gone, and there is no copy: made from the header again. */
static void test_computed_plan(void)
{
	struct nc3z_salvage_report *report = NULL;
	struct blob in = { 0 }, out = { 0 };
	struct specimen s;

	specimen_make(&s, &setups[2]);
	CHECK(!picture_has_plan_copy(&s.picture));
	blob_put(&in, s.archive.data, s.archive.nbytes);
	memset(in.data, 0, s.picture.blocks[0].offset);
	CHECK(salvage(&in, 0, &out, &report) == NC3Z_OK);
	CHECK(report && report->is_whole &&
	      report->plan_from == NC3Z_SALVAGE_PLAN_COMPUTED);
	CHECK_MEM_EQ(out.data, s.archive.data, s.archive.nbytes);
	nc3z_salvage_report_free(report);
	/* Nothing proves it if the first block is lost as well. */
	blob_release(&out);
	memset(in.data, 0, s.picture.blocks[1].offset);
	CHECK(salvage(&in, 0, &out, NULL) == NC3Z_EDAMAGED);
	blob_release(&in);
	blob_release(&out);
	specimen_release(&s);
}

static void test_arguments(void)
{
	struct nc3z_salvage_options options;
	struct blob nothing = { 0 }, out = { 0 };
	struct nc3z_sink *sink;

	blob_fill(&nothing, 'N', 5000);
	CHECK(salvage(&nothing, 0, &out, NULL) == NC3Z_ENOTARCHIVE);
	CHECK(nc3z_sink_open_memory(1 << 26, &sink, NULL) == NC3Z_OK);
	CHECK(nc3z_salvage(NULL, 0, sink, NULL, NULL, NULL) == NC3Z_EINVAL);
	nc3z_salvage_options_init(&options);
	options.options_nbytes--;
	CHECK(nc3z_salvage(NULL, 1, sink, &options, NULL, NULL) == NC3Z_EINVAL);
	nc3z_sink_close(sink);
	blob_release(&nothing);
	blob_release(&out);
}

int main(void)
{
	RUN(test_whole);
	RUN(test_cuts);
	RUN(test_sectors);
	RUN(test_bursts);
	RUN(test_pieces);
	RUN(test_repeats);
	RUN(test_merge);
	RUN(test_merge_is_whole);
	RUN(test_sisters);
	RUN(test_strangers);
	RUN(test_computed_plan);
	RUN(test_arguments);
	return check_report();
}
