/* SPDX-License-Identifier: MIT */
/*
 * Times reading parts of the one variable of a file, for bench.py access:
 *
 *	bench_access LIBRARY FILE CACHE_MIB RUNS COLD
 *
 * LIBRARY is nc3z (archives and plain files), on one processor; nc3z-all, on as
 * many as it likes, as is its default; or netcdf, whose chunk cache has
 * CACHE_MIB MiB, or its default size with 0.  The first dimension is time, the
 * last two are a map.  Each pattern gives a line for calls each on a handle
 * that was just opened, and one for calls one after the other on one handle at
 * other places: seconds and bytes of a call, the best of RUNS, how many calls a
 * run has, and how many blocks it decoded.  With COLD 1 the file is driven out
 * of the page cache before each call on a fresh handle, and there are no
 * others.
 *
 * What is read into is touched before; opening is outside the clock, which is
 * that of the processor where all is done by one thread and nothing is cold, so
 * that other programs do not disturb.
 *
 *	bench_access make CLASSIC NETCDF4 CHUNK...
 *
 * makes the netCDF-4 file of a classic one, deflated at level 6 after a
 * shuffle, from whole bands of chunks: nccopy takes minutes for it.
 */
#include <netcdf.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench_tools.h"
#include "nc3z.h"

#define RANK_MAX 4

/* Seconds for the calls of a run; the rest of them is left out. */
#define PATIENCE 2

struct slab {
	size_t start[RANK_MAX];
	size_t count[RANK_MAX];
	ptrdiff_t stride[RANK_MAX];
};

struct file {
	struct nc3z_file *nc3z; /* one of the two */
	int ncid;
};

struct subject {
	const char *path;
	bool is_nc3z;
	bool is_parallel;
	size_t cache_nbytes;
	unsigned runs;
	bool is_cold;
	int rank;
	size_t shape[RANK_MAX];
	float *memory;
};

/* Lengths along time, levels and the two of a map; 0 is all of them. */
struct pattern {
	const char *name;
	size_t time, level, map;
	ptrdiff_t stride;
	unsigned ncalls;
};

static const struct pattern patterns[] = {
	{ "map", 1, 1, 0, 1, 20 },    { "series", 0, 1, 1, 1, 10 },
	{ "box", 20, 5, 40, 1, 10 },  { "box series", 0, 1, 8, 1, 5 },
	{ "strided", 0, 0, 0, 5, 1 },
};

static double now(const struct subject *s)
{
	clockid_t clock = s->is_cold || s->is_parallel ?
				  CLOCK_MONOTONIC :
				  CLOCK_PROCESS_CPUTIME_ID;
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void check(const struct subject *s, int status)
{
	if (status != NC_NOERR)
		die(s->path, nc_strerror(status));
}

static struct file open_file(const struct subject *s)
{
	struct nc3z_open_options options;
	struct file f = { .ncid = -1 };
	struct nc3z_error err;
	int format;

	if (!s->is_nc3z) {
		check(s, nc_open(s->path, NC_NOWRITE, &f.ncid));
		check(s, nc_inq_format(f.ncid, &format));
		if (s->cache_nbytes > 0 && format >= NC_FORMAT_NETCDF4 &&
		    format <= NC_FORMAT_NETCDF4_CLASSIC)
			check(s,
			      nc_set_var_chunk_cache(f.ncid, 0, s->cache_nbytes,
						     100003, 0.5F));
		return f;
	}
	nc3z_open_options_init(&options);
	if (!s->is_parallel)
		options.nthreads = 1;
	if (nc3z_open(s->path, &options, &f.nc3z, &err) != NC3Z_OK)
		die(s->path, err.text);
	return f;
}

static void close_file(const struct subject *s, struct file *f)
{
	if (s->is_nc3z)
		nc3z_close(f->nc3z);
	else
		nc_close(f->ncid);
}

static void read_slab(const struct subject *s, const struct file *f,
		      const struct slab *slab)
{
	bool is_dense = slab->stride[0] == 1;
	struct nc3z_hyperslab q = { slab->start, slab->count,
				    is_dense ? NULL : slab->stride, NULL };
	struct nc3z_error err;

	if (!s->is_nc3z)
		check(s, is_dense ? nc_get_vara_float(f->ncid, 0, slab->start,
						      slab->count, s->memory) :
				    nc_get_vars_float(f->ncid, 0, slab->start,
						      slab->count, slab->stride,
						      s->memory));
	else if (nc3z_get(f->nc3z, 0, &q, NC3Z_FLOAT, s->memory, &err) !=
		 NC3Z_OK)
		die(s->path, err.text);
}

static struct slab next_slab(const struct subject *s, const struct pattern *p,
			     uint64_t *random)
{
	struct slab slab;

	for (int k = 0; k < s->rank; k++) {
		size_t n = k == 0           ? p->time :
			   k >= s->rank - 2 ? p->map :
					      p->level;
		size_t length = s->shape[k];

		slab.stride[k] = p->stride;
		slab.count[k] = (length - 1) / (size_t)p->stride + 1;
		slab.start[k] = 0;
		if (n == 0)
			continue;
		slab.count[k] = n < length ? n : length;
		slab.start[k] = below(random, length - slab.count[k] + 1);
	}
	return slab;
}

static uint64_t count_decoded(const struct subject *s, const struct file *f)
{
	struct nc3z_cache_stats stats = { 0 };

	if (s->is_nc3z)
		nc3z_inq_cache(f->nc3z, &stats);
	return stats.nblocks_decoded;
}

struct result {
	double seconds;
	double nbytes;
	unsigned ncalls;
	uint64_t nblocks;
};

static void make_call(const struct subject *s, const struct pattern *p,
		      const struct file *f, uint64_t *random, struct result *r)
{
	struct slab slab = next_slab(s, p, random);
	uint64_t before = count_decoded(s, f);
	double nbytes = sizeof(float), begin = now(s);

	read_slab(s, f, &slab);
	r->seconds += now(s) - begin;
	r->nblocks += count_decoded(s, f) - before;
	for (int k = 0; k < s->rank; k++)
		nbytes *= (double)slab.count[k];
	r->nbytes += nbytes;
	r->ncalls++;
}

static struct result run_fresh(const struct subject *s, const struct pattern *p,
			       uint64_t random)
{
	struct result r = { 0 };

	for (unsigned i = 0; i < p->ncalls && r.seconds < PATIENCE; i++) {
		struct file f;

		if (s->is_cold)
			drop_pages(s->path);
		f = open_file(s);
		make_call(s, p, &f, &random, &r);
		close_file(s, &f);
	}
	return r;
}

static struct result run_used(const struct subject *s, const struct pattern *p,
			      uint64_t random)
{
	struct file f = open_file(s);
	struct result r = { 0 };

	for (unsigned i = 0; i < p->ncalls && r.seconds < PATIENCE; i++)
		make_call(s, p, &f, &random, &r);
	close_file(s, &f);
	return r;
}

static void keep_best(struct result *best, struct result r)
{
	if (best->ncalls == 0 ||
	    r.seconds / r.ncalls < best->seconds / best->ncalls)
		*best = r;
}

static void print(const char *name, const char *handle, const struct result *r)
{
	printf("%s,%s,%.9f,%.0f,%u,%llu\n", name, handle,
	       r->seconds / r->ncalls, r->nbytes / r->ncalls, r->ncalls,
	       (unsigned long long)r->nblocks);
	fflush(stdout);
}

static void run_pattern(const struct subject *s, const struct pattern *p)
{
	struct result fresh = { 0 }, used = { 0 };

	for (unsigned i = 0; i < s->runs; i++) {
		keep_best(&fresh, run_fresh(s, p, 1));
		if (!s->is_cold)
			keep_best(&used, run_used(s, p, 2));
	}
	print(p->name, "fresh", &fresh);
	if (!s->is_cold)
		print(p->name, "used", &used);
}

static void measure(struct subject *s)
{
	struct file f = open_file(s);
	struct nc3z_var var;
	int dimids[NC_MAX_VAR_DIMS];

	if (s->is_nc3z) {
		nc3z_inq_var(f.nc3z, 0, &var, NULL);
		s->rank = var.ndims;
		for (int k = 0; k < s->rank && k < RANK_MAX; k++)
			s->shape[k] = (size_t)var.shape[k];
	} else {
		check(s, nc_inq_varndims(f.ncid, 0, &s->rank));
		check(s, nc_inq_vardimid(f.ncid, 0, dimids));
		for (int k = 0; k < s->rank && k < RANK_MAX; k++)
			check(s,
			      nc_inq_dimlen(f.ncid, dimids[k], &s->shape[k]));
	}
	close_file(s, &f);
	if (s->rank < 3 || s->rank > RANK_MAX)
		die(s->path, "must have three or four dimensions");
}

/* The variable with its dimensions, in chunks. */
static void define(const struct subject *s, int in, int out,
		   const size_t *chunks)
{
	char name[NC_MAX_NAME + 1];
	int dimids[RANK_MAX];

	for (int k = 0; k < s->rank; k++) {
		check(s, nc_inq_dimname(in, k, name));
		check(s, nc_def_dim(out, name, k ? s->shape[k] : NC_UNLIMITED,
				    &dimids[k]));
	}
	check(s, nc_inq_varname(in, 0, name));
	check(s, nc_def_var(out, name, NC_FLOAT, s->rank, dimids, NULL));
	check(s, nc_copy_att(in, 0, "_FillValue", out, 0));
	check(s, nc_def_var_chunking(out, 0, NC_CHUNKED, chunks));
	check(s, nc_def_var_deflate(out, 0, 1, 1, 6));
	check(s, nc_enddef(out));
}

static void copy_bands(const struct subject *s, int in, int out,
		       const size_t *chunks)
{
	size_t start[RANK_MAX] = { 0 }, count[RANK_MAX], nelems = chunks[0];
	float *band;

	for (int k = 1; k < s->rank; k++)
		nelems *= count[k] = s->shape[k];
	band = malloc(nelems * sizeof(*band));
	if (!band)
		die(s->path, "out of memory");
	for (; start[0] < s->shape[0]; start[0] += count[0]) {
		count[0] = s->shape[0] - start[0];
		if (count[0] > chunks[0])
			count[0] = chunks[0];
		check(s, nc_get_vara_float(in, 0, start, count, band));
		check(s, nc_put_vara_float(out, 0, start, count, band));
	}
	free(band);
}

/* All chunks of a band are in the cache until they are whole. */
static int make(int argc, char **argv)
{
	struct subject s = { .path = argv[2] };
	size_t chunks[RANK_MAX] = { 0 };
	int in, out;

	measure(&s);
	if (argc != 4 + s.rank)
		return 2;
	for (int k = 0; k < s.rank; k++)
		chunks[k] = (size_t)atol(argv[4 + k]);
	check(&s, nc_set_chunk_cache((size_t)1 << 30, 100003, 0.5F));
	check(&s, nc_open(s.path, NC_NOWRITE, &in));
	check(&s, nc_create(argv[3], NC_NETCDF4 | NC_CLASSIC_MODEL, &out));
	define(&s, in, out, chunks);
	copy_bands(&s, in, out, chunks);
	check(&s, nc_close(out));
	check(&s, nc_close(in));
	return 0;
}

int main(int argc, char **argv)
{
	struct subject s = { .rank = 0 };
	size_t nelems = 1;

	if (argc > 4 && strcmp(argv[1], "make") == 0)
		return make(argc, argv);
	if (argc != 6) {
		fprintf(stderr, "usage: bench_access LIBRARY FILE CACHE_MIB "
				"RUNS COLD\n"
				"       bench_access make CLASSIC NETCDF4 "
				"CHUNK...\n");
		return 2;
	}
	s.is_parallel = strcmp(argv[1], "nc3z-all") == 0;
	s.is_nc3z = s.is_parallel || strcmp(argv[1], "nc3z") == 0;
	s.path = argv[2];
	s.cache_nbytes = (size_t)atoi(argv[3]) << 20;
	s.runs = (unsigned)atoi(argv[4]);
	s.is_cold = atoi(argv[5]) != 0;
	measure(&s);
	for (int k = 0; k < s.rank; k++)
		nelems *= s.shape[k];
	/* No pattern takes more than a map, a box, a box's series, or so. */
	nelems = nelems / 64 + 1000000;
	s.memory = malloc(nelems * sizeof(*s.memory));
	if (!s.memory)
		die(s.path, "out of memory");
	memset(s.memory, 1, nelems * sizeof(*s.memory));
	for (size_t i = 0; i < sizeof(patterns) / sizeof(*patterns); i++)
		run_pattern(&s, &patterns[i]);
	free(s.memory);
	return 0;
}
