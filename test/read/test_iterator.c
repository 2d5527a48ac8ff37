/* SPDX-License-Identifier: MIT */
/*
 * Boxes of random shapes over random slabs, within random memory, from plain
 * files and from archives of all layouts: every value once and as nc3z_get()
 * has it, in the order that is promised, with as many decodes as are promised.
 */
#include "check.h"
#include "made.h"
#include "packed.h"
#include "shape.h"
#include "slab.h"
#include "chunked.h"

#define NVARS_MAX 3

static uint64_t below(uint64_t *seed, uint64_t limit)
{
	return check_random_below(seed, limit);
}

/* A run of an iterator, and what it should give. */
struct trial {
	struct nc3z_iterator_var vars[NVARS_MAX];
	size_t nvars;
	size_t rank;
	struct slab_request slab;
	struct nc3z_hyperslab call;
	size_t count[SHAPE_RANK_MAX]; /* of the slab */
	size_t start[SHAPE_RANK_MAX];
	size_t stride[SHAPE_RANK_MAX];
	size_t nelems;
	size_t box[SHAPE_RANK_MAX];
	bool has_box;
	uint64_t memory_nbytes;
	uint8_t *expected[NVARS_MAX];
	uint8_t *got[NVARS_MAX];
	uint8_t *seen; /* how often each value came */
	int status;    /* of nc3z_get(), the worst one */
};

static size_t width_of(const struct trial *t, size_t v)
{
	struct nc3z_var var = { .type = 0 };
	int memtype = t->vars[v].memtype & ~NC3Z_UNPACKED;

	nc3z_inq_var(t->vars[v].file, t->vars[v].varid, &var, NULL);
	return nc3z_type_nbytes(memtype == NC3Z_NAT ? var.type : memtype);
}

static uint64_t blocks_decoded(const struct trial *t)
{
	struct nc3z_cache_stats stats;
	uint64_t n = 0;

	for (size_t v = 0; v < t->nvars; v++) {
		size_t same = 0;

		while (t->vars[same].file != t->vars[v].file)
			same++;
		nc3z_inq_cache(t->vars[v].file, &stats);
		n += same == v ? stats.nblocks_decoded : 0;
	}
	return n;
}

static void random_slab(struct trial *t, const struct nc3z_var *var,
			uint64_t *seed)
{
	struct hyperslab_request *q = &t->slab.request;

	t->rank = (size_t)var->ndims;
	for (size_t k = 0; k < t->rank; k++)
		t->slab.shape[k] = var->shape[k];
	do {
		slab_random(&t->slab, t->rank, seed);
	} while (q->form == HYPERSLAB_VAR1);
	t->call = (struct nc3z_hyperslab){ .start = q->start,
					   .count = q->count,
					   .stride = q->stride };
	t->nelems = 1;
	for (size_t k = 0; k < t->rank; k++) {
		t->start[k] = q->start ? t->slab.start[k] : 0;
		t->stride[k] = q->stride ? (size_t)t->slab.stride[k] : 1;
		t->count[k] = q->count ? t->slab.count[k] :
					 (size_t)var->shape[k];
		t->nelems *= t->count[k];
	}
}

static const struct nc3z_hyperslab *slab_of(const struct trial *t)
{
	return t->slab.request.form == HYPERSLAB_VAR ? NULL : &t->call;
}

/* Lengths, and memory for at least one box; often little more. */
static void random_boxes(struct trial *t, uint64_t *seed)
{
	uint64_t nbytes = 0, box = 1;

	t->has_box = below(seed, 3) != 0;
	for (size_t k = 0; k < t->rank; k++) {
		t->box[k] = 1 + (size_t)below(seed, t->count[k] + 2);
		if (below(seed, 4) == 0)
			t->box[k] = 1 + (size_t)below(seed, 3);
		if (t->has_box)
			box *= t->box[k] < t->count[k] ? t->box[k] :
							 t->count[k];
	}
	for (size_t v = 0; v < t->nvars; v++)
		nbytes += width_of(t, v);
	t->memory_nbytes = box * nbytes;
	t->memory_nbytes +=
		below(seed, 2) * below(seed, 3 * nbytes * t->nelems + 1);
	t->memory_nbytes += below(seed, 2) * below(seed, 100000);
}

/* The values as the plain file has them. */
static void get_expected(struct trial *t, struct nc3z_file *plain)
{
	t->status = NC3Z_OK;
	for (size_t v = 0; v < t->nvars; v++) {
		size_t nbytes = t->nelems * width_of(t, v);
		int status;

		t->expected[v] = calloc(nbytes + 1, 1);
		t->got[v] = calloc(nbytes + 1, 1);
		status = nc3z_get(plain, t->vars[v].varid, slab_of(t),
				  t->vars[v].memtype, t->expected[v], NULL);
		if (status != NC3Z_OK)
			t->status = status;
	}
	t->seen = calloc(t->nelems + 1, 1);
}

static void release(struct trial *t)
{
	for (size_t v = 0; v < t->nvars; v++) {
		free(t->expected[v]);
		free(t->got[v]);
	}
	free(t->seen);
}

/* Where value number i of a box is among those of the slab. */
static size_t place_of(const struct trial *t, const struct nc3z_box *box,
		       size_t i)
{
	size_t place = 0, weight = 1;

	for (size_t k = t->rank; k-- > 0;) {
		size_t first = (box->start[k] - t->start[k]) / t->stride[k];

		place += (first + i % box->count[k]) * weight;
		i /= box->count[k];
		weight *= t->count[k];
	}
	return place;
}

static void take_box(struct trial *t, const struct nc3z_box *box)
{
	size_t n = 1;

	for (size_t k = 0; k < t->rank; k++)
		n *= box->count[k];
	CHECK_EQ_U64(box->nelems, n);
	for (size_t i = 0; i < n; i++) {
		size_t place = place_of(t, box, i);

		REQUIRE(place < t->nelems);
		t->seen[place]++;
		for (size_t v = 0; v < t->nvars; v++) {
			size_t w = width_of(t, v);

			memcpy(t->got[v] + place * w,
			       (const uint8_t *)box->values[v] + i * w, w);
		}
	}
}

/* Whether a box begins behind another one, in row-major order. */
static bool is_behind(const struct trial *t, const size_t *last,
		      const struct nc3z_box *box)
{
	for (size_t k = 0; k < t->rank; k++)
		if (box->start[k] != last[k])
			return box->start[k] > last[k];
	return box->number == 0;
}

static int go_through(struct trial *t, struct nc3z_iterator *it,
		      const struct nc3z_iterator_plan *plan)
{
	size_t last[SHAPE_RANK_MAX] = { 0 };
	int worst = NC3Z_OK;
	uint64_t n = 0;

	for (;;) {
		struct nc3z_box box;
		int status = nc3z_iterator_next(it, &box, NULL);

		if (box.nelems == 0)
			break;
		CHECK_EQ_U64(box.number, n);
		CHECK(is_behind(t, last, &box));
		for (size_t k = 0; k < t->rank; k++) {
			CHECK(box.count[k] <= plan->box[k]);
			last[k] = box.start[k];
		}
		take_box(t, &box);
		worst = status != NC3Z_OK ? status : worst;
		n++;
	}
	CHECK_EQ_U64(n, plan->nboxes);
	return worst;
}

/* Integers are not touched by floating-point misfits: zeros on both sides. */
static void check_values(const struct trial *t)
{
	uint64_t nwrong = 0;

	for (size_t i = 0; i < t->nelems; i++)
		nwrong += t->seen[i] != 1;
	CHECK_EQ_U64(nwrong, 0);
	for (size_t v = 0; v < t->nvars; v++)
		CHECK(memcmp(t->got[v], t->expected[v],
			     t->nelems * width_of(t, v)) == 0);
}

/* '*nsaved' counts trials in which memory made a difference. */
static void run_trial(struct trial *t, uint64_t *seed, unsigned *nrepeated)
{
	struct nc3z_iterator_options options;
	struct nc3z_iterator_plan plan = { 0 };
	struct nc3z_iterator *it = NULL;
	struct nc3z_error err = { 0 };
	uint64_t before = blocks_decoded(t);

	nc3z_iterator_options_init(&options);
	options.box = t->has_box ? t->box : NULL;
	options.max_memory_nbytes = t->memory_nbytes;
	REQUIRE(nc3z_iterator_open(t->vars, t->nvars, slab_of(t), &options, &it,
				   &err) == NC3Z_OK);
	CHECK(nc3z_iterator_inq(it, &plan, NULL) == NC3Z_OK);
	CHECK_EQ_U64(blocks_decoded(t), before);
	CHECK(plan.memory_nbytes <= t->memory_nbytes);
	CHECK(plan.nblocks_decoded >= plan.nblocks);
	CHECK(go_through(t, it, &plan) == t->status);
	CHECK_EQ_U64(blocks_decoded(t) - before, plan.nblocks_decoded);
	*nrepeated += plan.nblocks_decoded > plan.nblocks;
	check_values(t);
	if (below(seed, 4) == 0)
		CHECK(nc3z_iterator_inq(it, &plan, NULL) == NC3Z_OK);
	nc3z_iterator_close(it);
}

static const int memtypes[] = { NC3Z_NAT, NC3Z_DOUBLE, NC3Z_FLOAT,
				NC3Z_FLOAT | NC3Z_UNPACKED,
				NC3Z_DOUBLE | NC3Z_UNPACKED };

/* Variables of one shape come one after the other in the file. */
static void random_vars(struct trial *t, struct nc3z_file *file, uint64_t *seed)
{
	int nvars, first;

	nc3z_inq(file, NULL, &nvars, NULL, NULL);
	first = (int)below(seed, (uint64_t)nvars);
	t->nvars = 0;
	for (int v = first; v < nvars && t->nvars < NVARS_MAX; v++) {
		struct nc3z_var a, b;

		nc3z_inq_var(file, first, &a, NULL);
		nc3z_inq_var(file, v, &b, NULL);
		if (a.ndims != b.ndims || b.type == NC3Z_CHAR ||
		    (a.ndims > 0 &&
		     memcmp(a.dimids, b.dimids, (size_t)a.ndims * sizeof(int))))
			break;
		t->vars[t->nvars++] = (struct nc3z_iterator_var){
			.file = file,
			.varid = v,
			.memtype = memtypes[below(seed, 5)],
		};
		if (below(seed, 3) == 0)
			break;
	}
}

static void run_trials(struct nc3z_file *file, struct nc3z_file *plain,
		       unsigned n, uint64_t *seed, unsigned *nrepeated)
{
	struct trial *t = calloc(1, sizeof(*t));

	REQUIRE(t);
	for (unsigned i = 0; i < n && check_state.nfailed < 20; i++) {
		struct nc3z_var var;

		random_vars(t, file, seed);
		if (t->nvars == 0)
			continue;
		nc3z_inq_var(file, t->vars[0].varid, &var, NULL);
		random_slab(t, &var, seed);
		random_boxes(t, seed);
		get_expected(t, plain);
		run_trial(t, seed, nrepeated);
		release(t);
	}
	free(t);
}

/* Variables of two shapes, large and small, of records and fixed. */
static void make_file(uint64_t *seed, struct blob *out)
{
	struct shape shape = { .version = 2, .ndims = 4, .nvars = 6 };
	uint64_t end;

	for (uint32_t i = 0; i < 4; i++)
		shape.dims[i] = 1 + below(seed, i == 3 ? 40 : 12);
	shape.dims[0] = 0;
	shape.numrecs = 1 + below(seed, 40);
	for (uint32_t v = 0; v < 6; v++) {
		struct shape_var *var = &shape.vars[v];

		var->type = 3 + (uint32_t)below(seed, 4);
		var->rank = v < 3 ? 4 : v < 5 ? 2 : (uint32_t)below(seed, 2);
		for (uint32_t k = 0; k < var->rank; k++)
			var->dimids[k] = v < 3 ? k : 2 + k;
		if (v == 4)
			var->dimids[0] = 0;
	}
	shape_place(&shape, 0);
	end = shape_end(&shape);
	if (below(seed, 4) == 0)
		end -= below(seed, end - shape.vars[0].begin);
	shape_file(&shape, end, seed, out);
}

static void check_file(const struct blob *file, uint64_t *seed,
		       unsigned *nrepeated)
{
	struct manner manner = { .nthreads = 1 + (unsigned)below(seed, 4) };
	struct blob archives[2];
	struct nc3z_file *plain = packed_open(file, &manner);
	uint32_t nchunked;

	manner.block_nbytes = 4096;
	archives[0] = packed_make(file, &manner);
	archives[1] = chunked_make(file, seed, &nchunked);
	for (int i = 0; i < 2; i++) {
		struct nc3z_file *f = packed_open(&archives[i], &manner);

		if (f && plain)
			run_trials(f, plain, 12, seed, nrepeated);
		nc3z_close(f);
		blob_release(&archives[i]);
	}
	if (plain)
		run_trials(plain, plain, 3, seed, nrepeated);
	nc3z_close(plain);
}

/* Fewer where everything takes longer. */
static unsigned share(unsigned n)
{
	const char *sanitizers = getenv("NC3Z_SANITIZE");

	return sanitizers && *sanitizers ? n / 4 : n;
}

static void test_random(void)
{
	unsigned nrepeated = 0;
	uint64_t seed = 71;

	for (unsigned i = 0; i < share(60); i++) {
		struct blob file = { 0 };

		make_file(&seed, &file);
		check_file(&file, &seed, &nrepeated);
		blob_release(&file);
	}
	/* Memory was short often enough to count. */
	CHECK(nrepeated > share(60));
}

/* Files with all their peculiarities. */
static void test_made(void)
{
	static const enum made_kind kinds[] = { MADE_MIXED,  MADE_TINY,
						MADE_MEDIUM, MADE_LONE,
						MADE_EMPTY,  MADE_SHORT,
						MADE_ODD };
	unsigned nrepeated = 0;
	uint64_t seed = 72;

	for (unsigned i = 0; i < share(28); i++) {
		struct blob file = { 0 };

		made_file(kinds[i % 7], &seed, &file);
		check_file(&file, &seed, &nrepeated);
		blob_release(&file);
	}
}

/* How often blocks are decoded with some memory. */
struct budget {
	size_t box[3]; /* 0: the library's choice */
	uint64_t memory_nbytes;
	uint64_t ndecoded;
};

static uint64_t count_decodes(struct nc3z_file *file, const struct budget *b,
			      const struct nc3z_hyperslab *slab)
{
	const struct nc3z_iterator_var var = { .file = file };
	struct nc3z_iterator_plan plan = { 0 };
	struct nc3z_iterator_options options;
	struct nc3z_iterator *it = NULL;

	nc3z_iterator_options_init(&options);
	options.box = b->box[0] ? b->box : NULL;
	options.max_memory_nbytes = b->memory_nbytes;
	CHECK(nc3z_iterator_open(&var, 1, slab, &options, &it, NULL) ==
	      NC3Z_OK);
	if (it)
		CHECK(nc3z_iterator_inq(it, &plan, NULL) == NC3Z_OK);
	nc3z_iterator_close(it);
	return plan.nblocks_decoded;
}

/* A file of floats (40, 12, 12). */
static void make_cube(struct blob *out)
{
	struct shape shape = { .version = 1, .ndims = 3, .nvars = 1 };
	uint64_t seed = 73;

	for (uint32_t k = 0; k < 3; k++) {
		shape.dims[k] = k ? 12 : 40;
		shape.vars[0].dimids[k] = k;
	}
	shape.vars[0].type = NC3Z_FLOAT;
	shape.vars[0].rank = 3;
	shape_place(&shape, 0);
	shape_file(&shape, shape_end(&shape), &seed, out);
}

/* 5 by 3 by 3 chunks of 512 bytes: a layer of them has 4608 bytes. */
static void test_budgets_of_chunks(void)
{
	static const struct manner manner = { .chunks = "var_0:8,4,4" };
	static const struct budget budgets[] = {
		/* Time series: all, one, four side by side, four rows. */
		{ { 40, 1, 1 }, 23040 + 160, 45 },
		{ { 40, 1, 1 }, 160, 144 * 5 },
		{ { 40, 1, 1 }, 4 * 160 + 160, 12 * 3 * 5 },
		{ { 40, 1, 1 }, 4 * 1920 + 160, 45 },
		/* Boxes that end inside of chunks: 12 layers, not 5. */
		{ { 5, 12, 12 }, 2880, 12 * 9 },
		{ { 5, 12, 12 }, 2880 + 2 * 4608, 45 },
		/* The library's: a layer, a chunk, half a chunk. */
		{ { 0 }, 23040, 45 },
		{ { 0 }, 5000, 45 },
		{ { 0 }, 512, 45 },
		{ { 0 }, 256, 90 },
	};
	const size_t start[] = { 3, 1, 2 }, count[] = { 18, 10, 3 };
	const ptrdiff_t stride[] = { 2, 1, 3 };
	const struct nc3z_hyperslab slab = { start, count, stride, NULL };
	struct blob file = { 0 }, archive;
	struct nc3z_file *f;

	make_cube(&file);
	archive = packed_make(&file, &manner);
	f = packed_open(&archive, &manner);
	REQUIRE(f);
	for (size_t i = 0; i < sizeof(budgets) / sizeof(*budgets); i++)
		CHECK_EQ_U64(count_decodes(f, &budgets[i], NULL),
			     budgets[i].ndecoded);
	/* Boxes follow the chunks, wherever the slab begins. */
	CHECK_EQ_U64(count_decodes(f, &(struct budget){ .memory_nbytes = 600 },
				   &slab),
		     45);
	nc3z_close(f);
	blob_release(&archive);
	blob_release(&file);
}

/* 6 blocks of 7 maps of 576 bytes. */
static void test_budgets_of_maps(void)
{
	static const struct manner manner = { .block_nbytes = 4096 };
	static const struct budget budgets[] = {
		{ { 1, 12, 12 }, 576, 40 },
		{ { 1, 12, 12 }, 7 * 576, 6 },
		{ { 40, 1, 1 }, 72 * 160 + 160, 2 * 6 },
		{ { 0 }, 7 * 576, 6 },
		{ { 0 }, 10000, 6 },
	};
	struct blob file = { 0 }, archive;
	struct nc3z_storage storage = { 0 };
	struct nc3z_file *f;

	make_cube(&file);
	archive = packed_make(&file, &manner);
	f = packed_open(&archive, &manner);
	REQUIRE(f);
	CHECK(nc3z_inq_storage(f, 0, &storage, NULL) == NC3Z_OK);
	CHECK_EQ_U64(storage.block_nbytes, 7 * 576);
	for (size_t i = 0; i < sizeof(budgets) / sizeof(*budgets); i++)
		CHECK_EQ_U64(count_decodes(f, &budgets[i], NULL),
			     budgets[i].ndecoded);
	nc3z_close(f);
	blob_release(&archive);
	blob_release(&file);
}

/* One damaged block costs the boxes that it is in. */
static void test_damage(void)
{
	static const struct manner manner = { .chunks = "var_0:8,4,4" };
	const struct nc3z_iterator_var no_var = { 0 };
	struct nc3z_iterator_options options;
	struct nc3z_iterator_var var = no_var;
	const size_t lengths[] = { 5, 6, 12 };
	struct blob file = { 0 }, archive;
	struct nc3z_iterator *it = NULL;
	struct nc3z_error err;
	struct nc3z_block block;
	struct nc3z_box box;
	unsigned nwrong = 0;
	float expected[5 * 6 * 12];

	make_cube(&file);
	archive = packed_make(&file, &manner);
	var.file = packed_open(&archive, &manner);
	REQUIRE(var.file);
	/* The last chunk of the first layer, of the only variable. */
	CHECK(nc3z_inq_block(var.file, 1, 8, &block, NULL) == NC3Z_OK);
	archive.data[block.offset + block.record_nbytes - 1] ^= 1;
	nc3z_iterator_options_init(&options);
	options.box = lengths;
	REQUIRE(nc3z_iterator_open(&var, 1, NULL, &options, &it, NULL) ==
		NC3Z_OK);
	for (unsigned i = 0; i < 16; i++) {
		int status = nc3z_iterator_next(it, &box, &err);

		CHECK_EQ_U64(box.nelems, 5 * 6 * 12);
		nwrong += status != NC3Z_OK;
		if (status != NC3Z_OK) {
			CHECK(status == NC3Z_EDAMAGED && err.block == 8);
			CHECK(box.start[0] < 8 && box.start[1] == 6);
			continue;
		}
		CHECK(nc3z_get_vara_float(var.file, 0, box.start, box.count,
					  expected, NULL) == NC3Z_OK);
		CHECK_MEM_EQ(box.values[0], expected, sizeof(expected));
	}
	CHECK_EQ_U64(nwrong, 2);
	CHECK(nc3z_iterator_next(it, &box, NULL) == NC3Z_OK);
	CHECK_EQ_U64(box.nelems, 0);
	nc3z_iterator_close(it);
	nc3z_close(var.file);
	blob_release(&archive);
	blob_release(&file);
}

static int status_of(struct nc3z_file *file, size_t nvars, const size_t *box,
		     uint64_t nbytes, const struct nc3z_hyperslab *slab)
{
	const struct nc3z_iterator_var vars[] = {
		{ file, 0, NC3Z_FLOAT },
		{ file, 0, NC3Z_DOUBLE },
		{ file, 1, NC3Z_NAT },
		{ file, 0, NC3Z_CHAR },
	};
	struct nc3z_iterator_options options;
	struct nc3z_iterator *it = NULL;
	int status;

	nc3z_iterator_options_init(&options);
	options.box = box;
	options.max_memory_nbytes = nbytes;
	status = nc3z_iterator_open(vars, nvars, slab, &options, &it, NULL);
	CHECK(!it == (status != NC3Z_OK));
	nc3z_iterator_close(it);
	return status;
}

static void test_statuses(void)
{
	static const struct manner manner = { .nthreads = 1 };
	const size_t box[] = { 2, 3, 4 }, none[] = { 2, 0, 1 };
	const size_t start[] = { 0, 0, 13 }, count[] = { 1, 1, 1 };
	const ptrdiff_t imap[] = { 1, 1, 1 };
	const struct nc3z_hyperslab beyond = { start, count, NULL, NULL };
	const struct nc3z_hyperslab mapped = { none, count, NULL, imap };
	struct blob file = { 0 };
	struct nc3z_file *f;

	make_cube(&file);
	f = packed_open(&file, &manner);
	REQUIRE(f);
	CHECK(status_of(f, 1, box, 96, NULL) == NC3Z_OK);
	CHECK(status_of(f, 1, box, 95, NULL) == NC3Z_ELIMIT);
	CHECK(status_of(f, 2, box, 3 * 96, NULL) == NC3Z_OK);
	CHECK(status_of(f, 2, box, 3 * 96 - 1, NULL) == NC3Z_ELIMIT);
	CHECK(status_of(f, 1, NULL, 4, NULL) == NC3Z_OK);
	CHECK(status_of(f, 1, NULL, 3, NULL) == NC3Z_ELIMIT);
	CHECK(status_of(f, 1, none, 96, NULL) == NC3Z_EINVAL);
	CHECK(status_of(f, 0, box, 96, NULL) == NC3Z_EINVAL);
	CHECK(status_of(f, 3, box, 960, NULL) == NC3Z_ENOTVAR);
	CHECK(status_of(f, 1, box, 96, &beyond) == NC3Z_EINVALCOORDS);
	CHECK(status_of(f, 1, box, 96, &mapped) == NC3Z_EINVAL);
	nc3z_close(f);
	blob_release(&file);
}

int main(void)
{
	RUN(test_budgets_of_chunks);
	RUN(test_budgets_of_maps);
	RUN(test_damage);
	RUN(test_statuses);
	RUN(test_random);
	RUN(test_made);
	return check_report();
}
