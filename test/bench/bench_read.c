/* SPDX-License-Identifier: MIT */
/*
 * Times ways of reading one file, for bench.py:
 *
 *	bench_read LIBRARY FILE THREADS RUNS COLD PATTERN...
 *
 * LIBRARY is nc3z (archives and plain files) or netcdf.  Variables have three
 * dimensions, the first of records; the first one is read.  Each pattern gives a
 * line: seconds of a call on a handle that was just opened, best of RUNS.  With
 * COLD 1 the file is driven out of the page cache before.
 *
 * What is read into is touched before; files are closed outside the clock.
 */
#include <fcntl.h>
#include <netcdf.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <stdnoreturn.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "nc3z.h"

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

static void read_slab(const struct subject *s, const struct file *f,
		      const struct slab *slab)
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
		if (nc3z_get(f->nc3z, 0, &q, NC3Z_NAT, s->memory, &err) !=
		    NC3Z_OK)
			die(s->path, err.text);
		return;
	}
	status = is_dense ? nc_get_vara(f->ncid, 0, slab->start, slab->count,
					s->memory) :
			    nc_get_vars(f->ncid, 0, slab->start, slab->count,
					slab->stride, s->memory);
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
	unsigned nhandles; /* each for one call */
};

static const struct pattern patterns[] = {
	{ "whole", 1 },   { "record", 20 }, { "row", 20 },  { "series", 1 },
	{ "stride2", 1 }, { "stride7", 1 }, { "thin2", 1 }, { "thin7", 1 },
	{ "boxes", 20 },  { "points", 20 },
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

/* Seconds of a call. */
static double run_once(const struct subject *s, const struct pattern *p)
{
	uint64_t random = s->random;
	double seconds = 0;

	for (unsigned i = 0; i < p->nhandles; i++) {
		struct slab slab = next_slab(s, p->name, &random);
		struct file f;
		double begin;

		if (s->is_cold)
			drop_pages(s->path);
		f = open_file(s);
		begin = now();
		read_slab(s, &f, &slab);
		seconds += now() - begin;
		close_file(s, &f);
	}
	return seconds / p->nhandles;
}

static void run_pattern(struct subject *s, const struct pattern *p)
{
	double begin = now(), best = 0;

	/* Slow ones are not repeated forever. */
	for (unsigned i = 0; i < s->runs && now() - begin < PATIENCE; i++) {
		double seconds;

		s->random = i * 1000;
		seconds = run_once(s, p);
		if (i == 0 || seconds < best)
			best = seconds;
	}
	printf("%s,%.9f\n", p->name, best);
	fflush(stdout);
}

/* Shape and type of the first variable. */
static void measure(struct subject *s)
{
	struct file f = open_file(s);
	struct nc3z_var var;
	int ncdims, dimids[NC_MAX_VAR_DIMS];
	nc_type type;

	if (s->is_nc3z) {
		nc3z_inq_var(f.nc3z, 0, &var, NULL);
		ncdims = var.ndims;
		for (int i = 0; i < 3 && i < ncdims; i++)
			s->shape[i] = (size_t)var.shape[i];
		s->width = nc3z_type_nbytes(var.type);
	} else {
		nc_inq_var(f.ncid, 0, NULL, &type, &ncdims, dimids, NULL);
		for (int i = 0; i < 3 && i < ncdims; i++)
			nc_inq_dimlen(f.ncid, dimids[i], &s->shape[i]);
		nc_inq_type(f.ncid, type, NULL, &s->width);
	}
	if (ncdims != 3)
		die(s->path, "the first variable has not three dimensions");
	close_file(s, &f);
}

int main(int argc, char **argv)
{
	struct subject s = { 0 };
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
	measure(&s);
	nbytes = s.shape[0] * s.shape[1] * s.shape[2] * s.width;
	s.memory = malloc(nbytes);
	if (!s.memory)
		die(s.path, "out of memory");
	memset(s.memory, 1, nbytes);
	for (int i = 6; i < argc; i++)
		for (size_t k = 0; k < sizeof(patterns) / sizeof(*patterns);
		     k++)
			if (strcmp(argv[i], patterns[k].name) == 0)
				run_pattern(&s, &patterns[k]);
	free(s.memory);
	return 0;
}
