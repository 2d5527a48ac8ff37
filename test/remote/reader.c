/* SPDX-License-Identifier: MIT */
/*
 * Reads archives by URL as a program does, beside the file that is the same.
 *
 *	remote_reader get URL PATH VARID START COUNT	(numbers with commas)
 *	remote_reader maps URL PATH	no network code before there is a URL
 *	remote_reader fork URL PATH	both processes read, each with its own handles
 *	remote_reader threads URL PATH	eight of them, one handle
 *	remote_reader many URL PATH	1000 files, all open at the end
 *	remote_reader leave URL PATH	ends with requests under way
 *	remote_reader failed URL PATH	a range fails that is announced twice, and
 *					read before another announcement ends
 *	remote_reader shared URL PATH	two announce the same bytes, and one ends
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "io/source.h"
#include "nc3z_tools.h"

#define NDIMS 3
#define NTHREADS 8
#define NFILES 1000

static struct nc3z_file *open_one(const char *name)
{
	struct nc3z_error err = { 0 };
	struct nc3z_file *file = NULL;

	if (nc3z_open(name, NULL, &file, &err) != NC3Z_OK) {
		fprintf(stderr, "open: %d %d %s\n", err.status, err.sys_errno,
			err.text);
		exit(1);
	}
	return file;
}

/* A file on a server, and the same here. */
struct pair {
	struct nc3z_file *far;
	struct nc3z_file *near;
};

/* The same values from both. */
static bool is_equal(const struct pair *p, int varid, const size_t *start,
		     const size_t *count)
{
	const struct nc3z_hyperslab slab = { .start = start, .count = count };
	struct nc3z_error err = { 0 };
	size_t n = sizeof(double);
	double *a, *b;
	bool same;

	for (int i = 0; i < NDIMS; i++)
		n *= count[i];
	a = calloc(1, n);
	b = calloc(1, n);
	same = nc3z_get(p->far, varid, &slab, NC3Z_DOUBLE, a, &err) == NC3Z_OK;
	if (!same)
		fprintf(stderr, "get: %d %d %s\n", err.status, err.sys_errno,
			err.text);
	same = same &&
	       nc3z_get(p->near, varid, &slab, NC3Z_DOUBLE, b, NULL) ==
		       NC3Z_OK &&
	       memcmp(a, b, n) == 0;
	free(a);
	free(b);
	return same;
}

static void parse(const char *text, size_t *numbers)
{
	for (int i = 0; i < NDIMS; i++) {
		char *end;

		numbers[i] = strtoul(text, &end, 10);
		text = end + (*end == ',');
	}
}

/* Every map of the first variable, from the n-th on, going round. */
static bool read_maps(const struct pair *p, size_t n)
{
	size_t start[NDIMS] = { 0 }, count[NDIMS] = { 1 };
	struct nc3z_var var;
	bool same = true;

	nc3z_inq_var(p->near, 0, &var, NULL);
	for (int i = 1; i < NDIMS; i++)
		count[i] = (size_t)var.shape[i];
	for (size_t i = 0; i < var.shape[0]; i++) {
		start[0] = (size_t)((i + n) % var.shape[0]);
		same = same && is_equal(p, 0, start, count);
	}
	return same;
}

static bool has_curl(void)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	bool found = false;
	char line[4096];

	while (maps && fgets(line, sizeof(line), maps))
		found = found || strstr(line, "libcurl");
	if (maps)
		fclose(maps);
	return found;
}

static bool check_maps(const char *url, const char *path)
{
	bool before, after, at_last;

	before = has_curl();
	nc3z_close(open_one(path));
	after = has_curl();
	nc3z_close(open_one(url));
	at_last = has_curl();
	return !before && !after && at_last;
}

static bool check_fork(const struct pair *p, const char *url, const char *path)
{
	struct pair own;
	int status = 1;
	bool same = read_maps(p, 0);
	pid_t child;

	fflush(NULL);
	child = fork();
	if (child == 0) {
		own.far = open_one(url);
		own.near = open_one(path);
		same = read_maps(&own, 5);
		nc3z_close(own.far);
		nc3z_close(own.near);
		exit(same ? 0 : 1);
	}
	same = read_maps(p, 3) && same;
	waitpid(child, &status, 0);
	return same && status == 0;
}

struct task {
	const struct pair *pair;
	pthread_t thread;
	size_t number;
	bool same;
};

static void *run_task(void *argument)
{
	struct task *t = argument;

	t->same = read_maps(t->pair, 7 * t->number);
	return NULL;
}

static bool check_threads(const struct pair *p)
{
	struct task tasks[NTHREADS];
	bool same = true;

	for (size_t i = 0; i < NTHREADS; i++) {
		tasks[i] = (struct task){ .pair = p, .number = i };
		pthread_create(&tasks[i].thread, NULL, run_task, &tasks[i]);
	}
	for (size_t i = 0; i < NTHREADS; i++) {
		pthread_join(tasks[i].thread, NULL);
		same = same && tasks[i].same;
	}
	return same;
}

/* Every so many files, each by another URL. */
struct opener {
	const char *url;
	struct nc3z_file **files;
	struct nc3z_file *near;
	pthread_t thread;
	size_t first;
	bool same;
};

static void *open_some(void *argument)
{
	const size_t start[NDIMS] = { 0 }, count[NDIMS] = { 1, 1, 1 };
	struct opener *o = argument;
	char url[4096];

	o->same = true;
	for (size_t i = o->first; i < NFILES; i += NTHREADS) {
		struct pair p = { .near = o->near };

		snprintf(url, sizeof(url), "%s?%zu", o->url, i);
		p.far = o->files[i] = open_one(url);
		o->same = o->same && is_equal(&p, 0, start, count);
	}
	return NULL;
}

static bool check_many(const struct pair *p, const char *url)
{
	static struct nc3z_file *files[NFILES];
	struct opener openers[NTHREADS];
	bool same = true;

	for (size_t i = 0; i < NTHREADS; i++) {
		openers[i] = (struct opener){
			.url = url,
			.files = files,
			.near = p->near,
			.first = i,
		};
		pthread_create(&openers[i].thread, NULL, open_some,
			       &openers[i]);
	}
	for (size_t i = 0; i < NTHREADS; i++) {
		pthread_join(openers[i].thread, NULL);
		same = same && openers[i].same;
	}
	for (size_t i = 0; i < NFILES; i++)
		nc3z_close(files[i]);
	return same;
}

/* Announced by an iterator, and never read. */
static void leave(const struct pair *p)
{
	const struct nc3z_iterator_var var = { p->far, 0, NC3Z_DOUBLE };
	struct nc3z_iterator_options options;
	struct nc3z_iterator *it;
	struct nc3z_box box;

	nc3z_iterator_options_init(&options);
	options.max_memory_nbytes = 1 << 20;
	if (nc3z_iterator_open(&var, 1, NULL, &options, &it, NULL) == NC3Z_OK)
		nc3z_iterator_next(it, &box, NULL);
	exit(0);
}

/*
 * Of the ranges FAILS is refused once, at once, and LATER comes after a while:
 * by then the first has failed.  Who reads it is told so, and who reads it
 * again gets it.
 */
#define FAILS UINT64_C(100000)
#define LATER UINT64_C(300000)

static bool check_failed(const char *url)
{
	const struct nc3z_range ranges[] = { { FAILS, 9 }, { LATER, 9 } };
	struct nc3z_source *source;
	uint64_t second;
	uint8_t bytes[9];
	size_t n;
	bool ok;

	if (nc3z_source_open_url(url, 0, &source, NULL) != NC3Z_OK)
		return false;
	source_announce(source, ranges, 2);
	second = source_announce(source, ranges, 1);
	ok = source_read_at(source, LATER, bytes, 9, &n, NULL) == NC3Z_OK;
	source_forget(source, second);
	ok = ok &&
	     source_read_at(source, FAILS, bytes, 9, &n, NULL) == NC3Z_EIO &&
	     source_read_at(source, FAILS, bytes, 9, &n, NULL) == NC3Z_OK;
	nc3z_source_close(source);
	return ok;
}

/*
 * The first has read its bytes when the second announces them and those after
 * them, and forgets them after that.  The second still reads its own, in parts,
 * with one request.
 */
static bool check_shared(const char *url)
{
	const struct nc3z_range first = { 100000, 20000 };
	const struct nc3z_range second = { 110000, 50000 };
	struct nc3z_source *source;
	uint64_t announcements[2];
	uint8_t bytes[10000];
	bool ok = true;
	size_t n;

	if (nc3z_source_open_url(url, 0, &source, NULL) != NC3Z_OK)
		return false;
	announcements[0] = source_announce(source, &first, 1);
	for (uint64_t at = 100000; at < 120000; at += sizeof(bytes))
		ok = ok && source_read_at(source, at, bytes, sizeof(bytes), &n,
					  NULL) == NC3Z_OK;
	announcements[1] = source_announce(source, &second, 1);
	source_forget(source, announcements[0]);
	for (uint64_t at = 120000; at < 160000; at += sizeof(bytes))
		ok = ok && source_read_at(source, at, bytes, sizeof(bytes), &n,
					  NULL) == NC3Z_OK;
	source_forget(source, announcements[1]);
	nc3z_source_close(source);
	return ok;
}

int main(int argc, char **argv)
{
	size_t start[NDIMS], count[NDIMS];
	struct pair p;
	bool ok = false;

	if (argc < 4)
		return 2;
	if (strcmp(argv[1], "maps") == 0) {
		ok = check_maps(argv[2], argv[3]);
		puts(ok ? "equal" : "different");
		return ok ? 0 : 1;
	}
	p.far = open_one(argv[2]);
	p.near = open_one(argv[3]);
	if (strcmp(argv[1], "get") == 0 && argc == 7) {
		parse(argv[5], start);
		parse(argv[6], count);
		ok = is_equal(&p, atoi(argv[4]), start, count);
	} else if (strcmp(argv[1], "fork") == 0) {
		ok = check_fork(&p, argv[2], argv[3]);
	} else if (strcmp(argv[1], "threads") == 0) {
		ok = check_threads(&p);
	} else if (strcmp(argv[1], "many") == 0) {
		ok = check_many(&p, argv[2]);
	} else if (strcmp(argv[1], "failed") == 0) {
		ok = check_failed(argv[2]);
	} else if (strcmp(argv[1], "shared") == 0) {
		ok = check_shared(argv[2]);
	} else if (strcmp(argv[1], "leave") == 0) {
		leave(&p);
	}
	nc3z_close(p.far);
	nc3z_close(p.near);
	puts(ok ? "equal" : "different");
	return ok ? 0 : 1;
}
