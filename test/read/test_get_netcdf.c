/* SPDX-License-Identifier: MIT */
/*
 * Reading beside libnetcdf, request by request, status by status, value by
 * value:
 *
 *	test_get_netcdf made            files made up at random
 *	test_get_netcdf directory DIR   all files in it
 *	test_get_netcdf corpus NAME     the directory $NC3Z_CORPUS/NAME
 */
#include <dirent.h>
#include <math.h>

#include "beside.h"
#include "check.h"
#include "load.h"

/* No request takes more elements; libnetcdf takes strided ones singly. */
#define NELEMS_MAX 300000
#define NELEMS_STRIDED_MAX 6000

/* Sanitizers are slow, and files of each kind come several times. */
static int so_few(int n)
{
	const char *sanitizers = getenv("NC3Z_SANITIZE");

	return sanitizers && sanitizers[0] ? n : 1;
}

static uint64_t below(uint64_t *seed, uint64_t limit)
{
	return check_random_below(seed, limit);
}

static uint64_t product(const struct slab_request *s)
{
	uint64_t n = 1;

	for (size_t i = 0; i < s->request.rank; i++)
		if (s->count[i] > 0 && n < UINT64_MAX / s->count[i])
			n *= s->count[i];
	return n;
}

/* Fewer elements, if there are too many; indices stay valid. */
static void shrink(struct slab_request *s)
{
	struct hyperslab_request *r = &s->request;
	uint64_t max = r->stride || r->imap ? NELEMS_STRIDED_MAX : NELEMS_MAX;
	uint64_t all = 1;

	for (size_t i = 0; i < r->rank; i++)
		all = r->shape[i] && all > UINT64_MAX / r->shape[i] ?
			      UINT64_MAX :
			      all * r->shape[i];
	if ((r->form == HYPERSLAB_VAR || !r->count) && all > max &&
	    r->form != HYPERSLAB_VAR1) {
		if (r->form == HYPERSLAB_VAR)
			r->form = HYPERSLAB_VARA;
		r->start = s->start;
		r->count = s->count;
		for (size_t i = 0; i < r->rank; i++) {
			s->start[i] = 0;
			s->count[i] = (size_t)r->shape[i];
		}
	}
	for (size_t i = 0; i < r->rank && product(s) > max; i++)
		while (s->count[i] > 1 && product(s) > max)
			s->count[i] = (s->count[i] + 1) / 2;
	/* Places that were near each other before that. */
	for (size_t i = 0; r->imap && i < r->rank; i++)
		if ((double)s->count[i] * fabs((double)s->imap[i]) > NELEMS_MAX)
			r->imap = NULL;
}

/* Makes one argument of a valid request wrong, or nearly so. */
static void spoil(struct call *call, uint64_t *seed)
{
	struct slab_request *s = &call->slab;
	struct hyperslab_request *r = &s->request;
	size_t i = r->rank ? (size_t)below(seed, r->rank) : 0;
	static const ptrdiff_t strides[] = {
		0, -1, PTRDIFF_MAX, INT32_MAX, INT32_MAX - 1, 2, 1000
	};

	call->is_valid = false;
	switch (below(seed, 8)) {
	case 0:
		call->varid = below(seed, 2) ? 1000000 : -2;
		break;
	case 1:
		call->type = &both_types[below(seed, BOTH_NTYPES)];
		break;
	case 2:
		r->start = NULL;
		break;
	case 3:
		s->start[i] = (size_t)r->shape[i] + (size_t)below(seed, 3);
		break;
	case 4:
		s->start[i] = below(seed, 2) ? SIZE_MAX : (size_t)1 << 33;
		break;
	case 5:
		/* A valid one must not get too large. */
		s->count[i] = (size_t)(r->shape[i] - s->start[i]) +
			      (size_t)below(seed, 2) +
			      (r->imap || r->shape[i] > s->start[i] + 9);
		break;
	case 6:
		s->count[i] = (size_t)1 << (40 + below(seed, 10));
		break;
	default:
		s->stride[i] = strides[below(seed, 7)];
	}
}

static void random_call(struct call *call, const struct beside *b,
			uint64_t *seed)
{
	const struct classic_header *h = &b->facts.header;
	struct nc3z_var var = { .name = "" };
	bool is_text;

	call->varid = (int)below(seed, h->nvars);
	CHECK(nc3z_inq_var(b->views[0].file, call->varid, &var, NULL) ==
	      NC3Z_OK);
	for (int i = 0; i < var.ndims; i++)
		call->slab.shape[i] = var.shape[i];
	slab_random(&call->slab, (size_t)var.ndims, seed);
	shrink(&call->slab);
	is_text = var.type == NC3Z_CHAR;
	do {
		call->type = &both_types[below(seed, BOTH_NTYPES)];
	} while (call->type->memtype != NC3Z_NAT &&
		 (call->type->memtype == NC3Z_CHAR) != is_text &&
		 below(seed, 50) != 0);
	call->is_valid = true;
	/* What is beyond all lengths is not beyond all absurd ones. */
	if (below(seed, 5) == 0 && var.nelems < UINT64_C(1) << 40)
		for (uint64_t n = 1 + below(seed, 3); n > 0; n--)
			spoil(call, seed);
}

static void run_calls(struct beside *b, unsigned ncalls, uint64_t *seed)
{
	struct call *call = malloc(sizeof(*call));

	REQUIRE(call);
	for (unsigned i = 0; i < ncalls && b->facts.header.nvars > 0 &&
			     check_state.nfailed < 20;
	     i++) {
		random_call(call, b, seed);
		beside_call(b, call);
	}
	free(call);
}

static void run_file(const char *name, const struct blob *file, unsigned ncalls,
		     uint64_t seed)
{
	struct beside b;

	if (!beside_open(&b, name, file))
		return;
	beside_inquire(&b);
	run_calls(&b, ncalls, &seed);
	beside_close(&b);
}

static void run_made(void)
{
	for (uint64_t i = 0; i < (uint64_t)(40 / so_few(4)) * MADE_KINDS; i++) {
		enum made_kind kind = (enum made_kind)(i % MADE_KINDS);
		struct blob file = { 0 };
		uint64_t seed = i;
		char name[40];

		snprintf(name, sizeof(name), "kind %d, seed %d", (int)kind,
			 (int)i);
		made_file(kind, &seed, &file);
		run_file(name, &file, 60, seed);
		blob_release(&file);
	}
}

static void run_path(const char *path)
{
	struct bytes bytes;
	struct blob file;

	REQUIRE(load_file(path, &bytes));
	file = (struct blob){ .data = bytes.data, .nbytes = bytes.nbytes };
	run_file(path, &file, 60, bytes.nbytes);
	free(bytes.data);
}

static int is_shown(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

static void run_dir(const char *dir, int step)
{
	struct dirent **entries;
	int count = scandir(dir, &entries, is_shown, alphasort);

	REQUIRE(count > 0);
	for (int i = 0; i < count; i++) {
		char path[4096];

		snprintf(path, sizeof(path), "%s/%s", dir, entries[i]->d_name);
		if (i % step == 0)
			run_path(path);
		free(entries[i]);
	}
	free(entries);
}

static void run_corpus(const char *name)
{
	const char *corpus = getenv("NC3Z_CORPUS");
	char dir[4096];

	if (!corpus || corpus[0] == '\0')
		check_skip("NC3Z_CORPUS is not set");
	snprintf(dir, sizeof(dir), "%s/%s", corpus, name);
	run_dir(dir, so_few(4));
}

int main(int argc, char **argv)
{
	if (argc == 2 && strcmp(argv[1], "made") == 0)
		run_made();
	else if (argc == 3 && strcmp(argv[1], "directory") == 0)
		run_dir(argv[2], 1);
	else if (argc == 3 && strcmp(argv[1], "corpus") == 0)
		run_corpus(argv[2]);
	return check_report();
}
