/* SPDX-License-Identifier: MIT */
/*
 * Many threads on one handle: random hyperslabs and byte ranges, each compared
 * with what one thread read before.  For the thread sanitizer, too.
 */
#include <pthread.h>

#include "check.h"
#include "made.h"
#include "packed.h"
#include "slab.h"
#include "nc3z_tools.h"

#define NTHREADS 8
#define NCALLS 120

/* What the threads share; nothing of it changes while they run. */
struct shared {
	const struct blob *original;
	struct nc3z_file *file;
	struct nc3z_file *alone; /* the plain file, for the main thread */
	int nvars;
	uint8_t **values; /* whole variables, as doubles or text */
};

struct reader {
	struct shared *shared;
	uint64_t seed;
	unsigned nwrong;
	unsigned ncalls;
};

/* Values of a request against those of the whole variable. */
static bool is_right(const struct shared *s, int varid,
		     const struct slab_request *slab, const uint8_t *values,
		     size_t width)
{
	struct slab_elements elements;
	bool ok = true;

	slab_list_make(&elements, slab);
	for (uint64_t i = 0; i < elements.count && ok; i++)
		ok = memcmp(values + (size_t)elements.list[i].out * width,
			    s->values[varid] + elements.list[i].in * width,
			    width) == 0;
	slab_list_release(&elements);
	return ok;
}

/* A request without an imap. */
static bool read_slab(struct reader *r, struct slab_request *slab)
{
	struct shared *s = r->shared;
	int varid = (int)check_random_below(&r->seed, (uint64_t)s->nvars);
	struct hyperslab_request *q = &slab->request;
	struct nc3z_var var;
	struct nc3z_hyperslab call = { 0 };
	size_t width, nelems = 1;
	uint8_t *values;
	bool ok;
	int status;

	if (nc3z_inq_var(s->file, varid, &var, NULL) != NC3Z_OK)
		return false;
	for (int i = 0; i < var.ndims; i++)
		slab->shape[i] = var.shape[i];
	do {
		slab_random(slab, (size_t)var.ndims, &r->seed);
	} while (q->form < HYPERSLAB_VARA);
	q->imap = NULL;
	for (int i = 0; i < var.ndims; i++)
		nelems *= q->count ? slab->count[i] : (size_t)var.shape[i];
	call.start = q->start;
	call.count = q->count;
	call.stride = q->stride;
	width = var.type == NC3Z_CHAR ? 1 : sizeof(double);
	values = malloc(nelems * width + 1);
	status = nc3z_get(s->file, varid, &call,
			  var.type == NC3Z_CHAR ? NC3Z_CHAR : NC3Z_DOUBLE,
			  values, NULL);
	ok = status == NC3Z_OK && is_right(s, varid, slab, values, width);
	free(values);
	return ok;
}

static bool read_bytes(struct reader *r)
{
	const struct blob *original = r->shared->original;
	uint64_t offset = check_random_below(&r->seed, original->nbytes);
	size_t nbytes = (size_t)check_random_below(&r->seed, 30000), got;
	uint8_t *data = malloc(nbytes + 1);
	bool ok;

	ok = nc3z_pread(r->shared->file, data, nbytes, offset, &got, NULL) ==
		     NC3Z_OK &&
	     memcmp(data, original->data + offset, got) == 0;
	free(data);
	return ok;
}

/* What needs no block, and what changes all the time. */
static bool inquire(struct reader *r)
{
	struct nc3z_file *file = r->shared->file;
	struct nc3z_cache_stats stats;
	struct nc3z_block block;
	int nvars;

	nc3z_inq(file, NULL, &nvars, NULL, NULL);
	nc3z_inq_cache(file, &stats);
	return nvars == r->shared->nvars &&
	       nc3z_inq_block(file, 0, 0, &block, NULL) == NC3Z_OK &&
	       block.raw_nbytes > 0;
}

static void *run_reader(void *argument)
{
	struct reader *r = argument;
	struct slab_request *slab = malloc(sizeof(*slab));

	for (; r->ncalls < NCALLS; r->ncalls++) {
		bool ok = true;

		switch (check_random_below(&r->seed, 8)) {
		case 0:
			ok = read_bytes(r);
			break;
		case 1:
			ok = inquire(r);
			break;
		default:
			ok = read_slab(r, slab);
		}
		r->nwrong += !ok;
	}
	free(slab);
	return NULL;
}

static void load_values(struct shared *s)
{
	nc3z_inq(s->alone, NULL, &s->nvars, NULL, NULL);
	s->values = calloc((size_t)s->nvars, sizeof(*s->values));
	REQUIRE(s->values);
	for (int i = 0; i < s->nvars; i++) {
		struct nc3z_var var;
		bool is_text;

		CHECK(nc3z_inq_var(s->alone, i, &var, NULL) == NC3Z_OK);
		is_text = var.type == NC3Z_CHAR;
		s->values[i] = malloc((size_t)var.nelems *
					      (is_text ? 1 : sizeof(double)) +
				      1);
		REQUIRE(s->values[i]);
		CHECK(nc3z_get(s->alone, i, NULL,
			       is_text ? NC3Z_CHAR : NC3Z_DOUBLE, s->values[i],
			       NULL) == NC3Z_OK);
	}
}

static void run_threads(struct shared *s, uint64_t seed)
{
	struct reader readers[NTHREADS];
	pthread_t threads[NTHREADS];

	for (unsigned i = 0; i < NTHREADS; i++) {
		readers[i] =
			(struct reader){ .shared = s, .seed = seed * 100 + i };
		REQUIRE(pthread_create(&threads[i], NULL, run_reader,
				       &readers[i]) == 0);
	}
	for (unsigned i = 0; i < NTHREADS; i++) {
		pthread_join(threads[i], NULL);
		CHECK_EQ_U64(readers[i].ncalls, NCALLS);
		CHECK_EQ_U64(readers[i].nwrong, 0);
	}
}

static void run_file(enum made_kind kind, uint64_t seed,
		     const struct manner *manner)
{
	struct blob original = { 0 }, archive;
	struct shared s = { .original = &original };

	made_file(kind, &seed, &original);
	archive = packed_make(&original, manner);
	s.file = packed_open(&archive, manner);
	s.alone = packed_open(&original, manner);
	REQUIRE(s.file && s.alone);
	load_values(&s);
	run_threads(&s, seed);
	for (int i = 0; i < s.nvars; i++)
		free(s.values[i]);
	free(s.values);
	nc3z_close(s.file);
	nc3z_close(s.alone);
	blob_release(&archive);
	blob_release(&original);
}

/* Each request in threads of its own, too, and hardly any room to keep. */
static void test_readers(void)
{
	static const struct manner manners[] = {
		{ .block_nbytes = 4096,
		  .nthreads = 3,
		  .cache_nbytes = 20000,
		  .ignores_truncation = true },
		{ .block_nbytes = 16384,
		  .nthreads = 1,
		  .ignores_truncation = true },
		{ .nthreads = 2,
		  .has_no_cache = true,
		  .ignores_truncation = true },
	};
	static const enum made_kind kinds[] = { MADE_LARGE, MADE_MEDIUM,
						MADE_TINY, MADE_SHORT };

	for (uint64_t i = 0; i < 8; i++)
		run_file(kinds[i % 4], 70 + i, &manners[i % 3]);
}

int main(void)
{
	RUN(test_readers);
	return check_report();
}
