/* SPDX-License-Identifier: MIT */
/*
 * Times ways of reading one file, for bench.py:
 *
 *	bench_read LIBRARY FILE THREADS RUNS COLD PATTERN...
 *
 * LIBRARY is nc3z (archives and plain files) or netcdf.  Variables have three
 * dimensions, the first of records; all patterns but "each" read the first one.
 * Each pattern gives a line for handles that were just opened, and one for a
 * handle in use: seconds of a call, best of RUNS, bytes of a call, and how many
 * blocks were decoded for all calls of a run.  With COLD 1 the file is driven
 * out of the page cache before each fresh handle, and there is no other.
 *
 * What is read into is touched before; files are closed outside the clock.
 */
#include <fcntl.h>
#include <netcdf.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <stdnoreturn.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "nc3z.h"

#define NTHREADS 8

/* Seconds for a pattern. */
#define PATIENCE 3

struct file {
	struct nc3z_file *nc3z; /* one of the two */
	int ncid;
};

struct slab {
	size_t start[3];
	size_t count[3];
	ptrdiff_t stride[3];
};

/* What is read: the same for all runs. */
struct subject {
	const char *path;
	bool is_nc3z;
	unsigned nthreads;
	unsigned runs;
	bool is_cold;
	int nvars;
	size_t shape[3];
	size_t width;
	uint8_t *memory;
	uint64_t random;
};

/* Says what is wrong with what, and ends the program. */
static noreturn void die(const char *what, const char *why)
{
	fprintf(stderr, "bench: %s: %s\n", what, why);
	exit(EXIT_FAILURE);
}

/* A random number less than 'limit', by splitmix64. */
static size_t below(uint64_t *state, size_t limit)
{
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return (size_t)((z ^ (z >> 31)) % limit);
}

/* Drives a file out of the page cache. */
static void drop_pages(const char *path)
{
	int fd = open(path, O_RDONLY);

	if (fd < 0 || fsync(fd) != 0 ||
	    posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED) != 0)
		die(path, "cannot be driven out of the page cache");
	close(fd);
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static struct file open_file(const struct subject *s)
{
	struct nc3z_open_options options;
	struct file f = { .ncid = -1 };
	struct nc3z_error err;
	int status;

	if (!s->is_nc3z) {
		status = nc_open(s->path, NC_NOWRITE, &f.ncid);
		if (status != NC_NOERR)
			die(s->path, nc_strerror(status));
		return f;
	}
	nc3z_open_options_init(&options);
	options.nthreads = s->nthreads;
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

static void read_slab(const struct subject *s, const struct file *f, int varid,
		      const struct slab *slab, void *out)
{
	bool is_dense = slab->stride[0] == 1 && slab->stride[1] == 1 &&
			slab->stride[2] == 1;
	struct nc3z_hyperslab q = { slab->start, slab->count, slab->stride,
				    NULL };
	int status;

	if (s->is_nc3z) {
		struct nc3z_error err;

		if (is_dense)
			q.stride = NULL;
		if (nc3z_get(f->nc3z, varid, &q, NC3Z_NAT, out, &err) !=
		    NC3Z_OK)
			die(s->path, err.text);
		return;
	}
	status = is_dense ? nc_get_vara(f->ncid, varid, slab->start,
					slab->count, out) :
			    nc_get_vars(f->ncid, varid, slab->start,
					slab->count, slab->stride, out);
	if (status != NC_NOERR)
		die(s->path, nc_strerror(status));
}

static struct slab whole(const struct subject *s)
{
	return (struct slab){
		.count = { s->shape[0], s->shape[1], s->shape[2] },
		.stride = { 1, 1, 1 },
	};
}

/* Every stride-th index of the dimensions from 'first' on. */
static struct slab strided(const struct subject *s, int first, size_t stride)
{
	struct slab slab = whole(s);

	for (int i = first; i < 3; i++) {
		slab.count[i] = (s->shape[i] + stride - 1) / stride;
		slab.stride[i] = (ptrdiff_t)stride;
	}
	return slab;
}

/* One index of the dimensions for which 'fixed' has a 1. */
static struct slab random_part(const struct subject *s, const char *fixed,
			       uint64_t *random)
{
	struct slab slab = whole(s);

	for (int i = 0; i < 3; i++) {
		if (fixed[i] != '1')
			continue;
		slab.start[i] = below(random, s->shape[i]);
		slab.count[i] = 1;
	}
	return slab;
}

/* Up to 4 records of up to 16 by 16. */
static struct slab random_box(const struct subject *s, uint64_t *random)
{
	static const size_t most[] = { 4, 16, 16 };
	struct slab slab = whole(s);

	for (int i = 0; i < 3; i++) {
		size_t n = 1 + below(random, most[i]);

		slab.count[i] = n < s->shape[i] ? n : s->shape[i];
		slab.start[i] = below(random, s->shape[i] - slab.count[i] + 1);
	}
	return slab;
}

struct pattern {
	const char *name;
	unsigned nfresh; /* handles, each for one call */
	unsigned nused;  /* calls on one handle */
};

static const struct pattern patterns[] = {
	{ "whole", 1, 1 },      { "record", 20, 200 }, { "row", 20, 1000 },
	{ "series", 1, 3 },     { "stride2", 1, 1 },   { "stride7", 1, 1 },
	{ "thin2", 1, 1 },      { "thin7", 1, 1 },     { "boxes", 20, 1000 },
	{ "points", 20, 1000 },
};

static struct slab next_slab(const struct subject *s, const char *name,
			     uint64_t *random)
{
	if (strcmp(name, "record") == 0)
		return random_part(s, "100", random);
	if (strcmp(name, "row") == 0)
		return random_part(s, "110", random);
	if (strcmp(name, "series") == 0)
		return random_part(s, "011", random);
	if (strcmp(name, "points") == 0)
		return random_part(s, "111", random);
	if (strcmp(name, "stride2") == 0)
		return strided(s, 0, 2);
	if (strcmp(name, "stride7") == 0)
		return strided(s, 0, 7);
	if (strcmp(name, "thin2") == 0)
		return strided(s, 1, 2);
	if (strcmp(name, "thin7") == 0)
		return strided(s, 1, 7);
	if (strcmp(name, "boxes") == 0)
		return random_box(s, random);
	return whole(s);
}

static uint64_t count_decoded(const struct subject *s, const struct file *f)
{
	struct nc3z_cache_stats stats = { 0 };

	if (s->is_nc3z)
		nc3z_inq_cache(f->nc3z, &stats);
	return stats.nblocks_decoded;
}

struct result {
	double seconds; /* of all calls */
	unsigned ncalls;
	uint64_t nbytes; /* of all calls */
	uint64_t nblocks;
};

static void add_call(const struct subject *s, struct result *r,
		     const struct slab *slab, double seconds)
{
	r->seconds += seconds;
	r->ncalls++;
	r->nbytes += (uint64_t)slab->count[0] * slab->count[1] *
		     slab->count[2] * s->width;
}

/* Calls on a handle. */
static struct result run_calls(const struct subject *s, const struct file *f,
			       const char *name, unsigned ncalls,
			       uint64_t *random)
{
	struct result r = { .nblocks = count_decoded(s, f) };

	for (unsigned i = 0; i < ncalls; i++) {
		struct slab slab = next_slab(s, name, random);
		double begin = now();

		read_slab(s, f, 0, &slab, s->memory);
		add_call(s, &r, &slab, now() - begin);
	}
	r.nblocks = count_decoded(s, f) - r.nblocks;
	return r;
}

static struct result run_fresh(const struct subject *s, const struct pattern *p)
{
	struct result sum = { 0 };
	uint64_t random = s->random;

	for (unsigned i = 0; i < p->nfresh; i++) {
		struct result r;
		struct file f;

		if (s->is_cold)
			drop_pages(s->path);
		f = open_file(s);
		r = run_calls(s, &f, p->name, 1, &random);
		close_file(s, &f);
		sum.seconds += r.seconds;
		sum.ncalls += r.ncalls;
		sum.nbytes += r.nbytes;
		sum.nblocks += r.nblocks;
	}
	return sum;
}

static struct result run_used(const struct subject *s, const struct pattern *p)
{
	struct file f = open_file(s);
	uint64_t random = s->random + 1;
	struct result r;

	run_calls(s, &f, p->name, 1, &random);
	r = run_calls(s, &f, p->name, p->nused, &random);
	close_file(s, &f);
	return r;
}

static void print(const struct subject *s, const char *name, const char *handle,
		  const struct result *r)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	printf("%s,%s,%.9f,%.1f,%u,%llu,%ld\n", name, handle,
	       r->seconds / r->ncalls, (double)r->nbytes / r->ncalls, r->ncalls,
	       (unsigned long long)r->nblocks,
	       usage.ru_maxrss - (long)(s->width * s->shape[0] * s->shape[1] *
					s->shape[2] / 1024));
	fflush(stdout);
}

static void keep_best(struct result *best, const struct result *r)
{
	if (best->ncalls == 0 || r->seconds < best->seconds)
		*best = *r;
}

static void run_pattern(struct subject *s, const struct pattern *p)
{
	struct result fresh = { 0 }, used = { 0 };
	double begin = now();

	/* Slow ones are not repeated for ever. */
	for (unsigned i = 0; i < s->runs && now() - begin < PATIENCE; i++) {
		struct result r;

		s->random = i * 1000;
		r = run_fresh(s, p);
		keep_best(&fresh, &r);
		if (s->is_cold || now() - begin > PATIENCE)
			continue;
		r = run_used(s, p);
		keep_best(&used, &r);
	}
	print(s, p->name, "fresh", &fresh);
	if (used.ncalls > 0)
		print(s, p->name, "used", &used);
}

/* Each record of each variable, one call for each. */
static void run_each(const struct subject *s)
{
	struct result best = { 0 };

	for (unsigned i = 0; i < s->runs; i++) {
		struct result r = { 0 };
		struct file f = open_file(s);
		struct slab slab = whole(s);

		slab.count[0] = 1;
		for (size_t k = 0; k < s->shape[0]; k++)
			for (int v = 0; v < s->nvars; v++) {
				double begin = now();

				slab.start[0] = k;
				read_slab(s, &f, v, &slab, s->memory);
				add_call(s, &r, &slab, now() - begin);
			}
		r.nblocks = count_decoded(s, &f);
		close_file(s, &f);
		keep_best(&best, &r);
	}
	print(s, "each", "fresh", &best);
}

static void run_open(const struct subject *s)
{
	struct result best = { 0 };

	for (unsigned i = 0; i < 5 * s->runs; i++) {
		struct result r = { .ncalls = 1 };
		struct file f;
		double begin;

		if (s->is_cold)
			drop_pages(s->path);
		begin = now();
		f = open_file(s);
		r.seconds = now() - begin;
		close_file(s, &f);
		keep_best(&best, &r);
	}
	print(s, "open", "fresh", &best);
}

/* A thread that reads its share of random boxes. */
struct worker {
	const struct subject *s;
	const struct file *f;
	unsigned first;
	unsigned step;
};

#define NBOXES 4000

static void *read_boxes(void *argument)
{
	const struct worker *w = argument;
	double values[4 * 16 * 16];

	for (unsigned i = w->first; i < NBOXES; i += w->step) {
		uint64_t random = i;
		struct slab slab = random_box(w->s, &random);

		read_slab(w->s, w->f, 0, &slab, values);
	}
	return NULL;
}

static void run_shared(const struct subject *s, unsigned nthreads)
{
	struct result best = { 0 };
	char name[40];

	for (unsigned i = 0; i < s->runs; i++) {
		struct result r = { .ncalls = NBOXES };
		struct file f = open_file(s);
		struct worker workers[NTHREADS];
		pthread_t threads[NTHREADS];
		double begin = now();

		for (unsigned k = 0; k < nthreads; k++) {
			workers[k] = (struct worker){ s, &f, k, nthreads };
			pthread_create(&threads[k], NULL, read_boxes,
				       &workers[k]);
		}
		for (unsigned k = 0; k < nthreads; k++)
			pthread_join(threads[k], NULL);
		r.seconds = now() - begin;
		r.nblocks = count_decoded(s, &f);
		close_file(s, &f);
		keep_best(&best, &r);
	}
	snprintf(name, sizeof(name), "boxes by %u threads", nthreads);
	print(s, name, "fresh", &best);
}

/* Shape and type of the first variable. */
static void measure(struct subject *s)
{
	struct file f = open_file(s);
	struct nc3z_var var;
	int ncdims, dimids[NC_MAX_VAR_DIMS];
	nc_type type;

	if (s->is_nc3z) {
		nc3z_inq(f.nc3z, NULL, &s->nvars, NULL, NULL);
		nc3z_inq_var(f.nc3z, 0, &var, NULL);
		ncdims = var.ndims;
		for (int i = 0; i < 3 && i < ncdims; i++)
			s->shape[i] = (size_t)var.shape[i];
		s->width = nc3z_type_nbytes(var.type);
	} else {
		nc_inq_nvars(f.ncid, &s->nvars);
		nc_inq_var(f.ncid, 0, NULL, &type, &ncdims, dimids, NULL);
		for (int i = 0; i < 3 && i < ncdims; i++)
			nc_inq_dimlen(f.ncid, dimids[i], &s->shape[i]);
		nc_inq_type(f.ncid, type, NULL, &s->width);
	}
	if (ncdims != 3)
		die(s->path, "the first variable has not three dimensions");
	close_file(s, &f);
}

static void run_named(struct subject *s, const char *name)
{
	const size_t count = sizeof(patterns) / sizeof(*patterns);

	if (strcmp(name, "each") == 0) {
		run_each(s);
	} else if (strcmp(name, "open") == 0) {
		run_open(s);
	} else if (strcmp(name, "threads") == 0) {
		run_shared(s, 1);
		run_shared(s, NTHREADS);
	} else {
		for (size_t i = 0; i < count; i++)
			if (strcmp(name, patterns[i].name) == 0)
				run_pattern(s, &patterns[i]);
	}
}

int main(int argc, char **argv)
{
	struct subject s = { 0 };
	bool only_opens;
	size_t nbytes;

	if (argc < 7) {
		fprintf(stderr, "usage: bench_read LIBRARY FILE THREADS RUNS "
				"COLD PATTERN...\n");
		return 2;
	}
	s.is_nc3z = strcmp(argv[1], "nc3z") == 0;
	s.path = argv[2];
	s.nthreads = (unsigned)atoi(argv[3]);
	s.runs = (unsigned)atoi(argv[4]);
	s.is_cold = atoi(argv[5]) != 0;
	only_opens = argc == 7 && strcmp(argv[6], "open") == 0;
	if (!only_opens) {
		measure(&s);
		nbytes = s.shape[0] * s.shape[1] * s.shape[2] * s.width;
		s.memory = malloc(nbytes);
		if (!s.memory)
			die(s.path, "out of memory");
		memset(s.memory, 1, nbytes);
	}
	for (int i = 6; i < argc; i++)
		run_named(&s, argv[i]);
	free(s.memory);
	return 0;
}
