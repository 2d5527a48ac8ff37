/* SPDX-License-Identifier: MIT */
/*
 * Archives with chunks, read as the plain file is read: values, statuses and
 * bytes.
 */
#include "check.h"
#include "made.h"
#include "packed.h"
#include "shape.h"
#include "slab.h"
#include "chunked.h"
#include "nc3z_tools.h"

/* An archive and its original, open. */
struct pair {
	struct nc3z_file *chunked;
	struct nc3z_file *plain;
};

static uint64_t blocks_decoded(struct nc3z_file *file)
{
	struct nc3z_cache_stats stats;

	nc3z_inq_cache(file, &stats);
	return stats.nblocks_decoded;
}

/* How much memory a request reaches, in elements. */
struct room {
	size_t before; /* the place of the first one */
	size_t nelems;
};

/* A request, packed or with places in any order, some of them the same. */
static struct room make_slab(struct slab_request *slab,
			     const struct nc3z_var *var,
			     struct nc3z_hyperslab *call, uint64_t *seed)
{
	struct hyperslab_request *q = &slab->request;
	struct room room = { 0, 1 }, mapped = { 0, 1 };

	for (int i = 0; i < var->ndims; i++)
		slab->shape[i] = var->shape[i];
	do {
		slab_random(slab, (size_t)var->ndims, seed);
	} while (q->form < HYPERSLAB_VARA);
	*call = (struct nc3z_hyperslab){ .start = q->start,
					 .count = q->count,
					 .stride = q->stride };
	for (int i = 0; i < var->ndims; i++) {
		size_t n = q->count ? slab->count[i] : (size_t)var->shape[i];
		ptrdiff_t reach = (ptrdiff_t)(n - (n > 0)) * slab->imap[i];

		room.nelems *= n;
		mapped.before += reach < 0 ? (size_t)-reach : 0;
		mapped.nelems += (size_t)(reach < 0 ? -reach : reach);
	}
	if (!q->imap || mapped.nelems > 4000)
		return room;
	call->imap = q->imap;
	return mapped;
}

/* The same from both files; no block of the variable is decoded twice. */
static void check_slab(struct pair *p, int varid, struct slab_request *slab,
		       uint64_t *seed)
{
	uint8_t *values[2];
	struct nc3z_storage storage;
	struct nc3z_hyperslab call;
	struct nc3z_var var;
	struct room room;
	uint64_t before;
	size_t nbytes;
	int memtype, status;

	REQUIRE(nc3z_inq_var(p->plain, varid, &var, NULL) == NC3Z_OK);
	room = make_slab(slab, &var, &call, seed);
	nbytes = room.nelems * sizeof(double);
	memtype = var.type == NC3Z_CHAR       ? NC3Z_CHAR :
		  check_random_below(seed, 2) ? var.type :
						NC3Z_DOUBLE;
	for (int i = 0; i < 2; i++) {
		values[i] = malloc(nbytes + 1);
		memset(values[i], 0x5a, nbytes + 1);
	}
	before = blocks_decoded(p->chunked);
	room.before *= nc3z_type_nbytes(memtype);
	status = nc3z_get(p->chunked, varid, &call, memtype,
			  values[0] + room.before, NULL);
	CHECK(status == nc3z_get(p->plain, varid, &call, memtype,
				 values[1] + room.before, NULL));
	CHECK(memcmp(values[0], values[1], nbytes + 1) == 0);
	REQUIRE(nc3z_inq_storage(p->chunked, varid, &storage, NULL) == NC3Z_OK);
	/* Chunks that meet in memory are taken in the order of the elements. */
	if (storage.stream != NC3Z_NO_NUMBER && !call.imap)
		CHECK(blocks_decoded(p->chunked) - before <= storage.nblocks);
	free(values[0]);
	free(values[1]);
}

/* All bytes, in pieces. */
static void check_bytes(struct pair *p, const struct blob *file, uint64_t *seed)
{
	uint8_t *data = malloc(file->nbytes + 1);
	size_t at = 0, got = 1;

	while (at < file->nbytes && got > 0) {
		size_t n = 1 + check_random_below(seed, 20000);

		n = n < file->nbytes - at ? n : file->nbytes - at;
		REQUIRE(nc3z_pread(p->chunked, data + at, n, at, &got, NULL) ==
			NC3Z_OK);
		at += got;
	}
	CHECK_EQ_U64(at, file->nbytes);
	CHECK_MEM_EQ(data, file->data, file->nbytes);
	free(data);
}

/* In one pass, though blocks are not where a writer puts them. */
static void check_restore(const struct blob *archive)
{
	struct nc3z_source *source = NULL;

	REQUIRE(nc3z_source_open_memory(archive->data, archive->nbytes, &source,
					NULL) == NC3Z_OK);
	CHECK(nc3z_verify(source, NULL, NULL, NULL) == NC3Z_OK);
	nc3z_source_close(source);
}

static void check_manner(const struct blob *archive, const struct blob *file,
			 const struct manner *manner, uint64_t *seed)
{
	struct slab_request *slab = malloc(sizeof(*slab));
	struct pair p = {
		.chunked = packed_open(archive, manner),
		.plain = packed_open(file, manner),
	};
	int nvars = 0;

	if (p.chunked && p.plain) {
		nc3z_inq(p.chunked, NULL, &nvars, NULL, NULL);
		for (int v = 0; v < nvars; v++)
			for (int i = 0; i < 12; i++)
				check_slab(&p, v, slab, seed);
		check_bytes(&p, file, seed);
	}
	nc3z_close(p.chunked);
	nc3z_close(p.plain);
	free(slab);
}

static uint32_t check_file(const struct blob *file, uint64_t *seed)
{
	static const struct manner manners[] = {
		{ .nthreads = 1 },
		{ .nthreads = 4, .ignores_truncation = true },
		{ .nthreads = 3, .has_no_cache = true },
	};
	struct blob archive;
	uint32_t nchunked = 0;

	archive = chunked_make(file, seed, &nchunked);
	if (nchunked > 0 && archive.nbytes > 0) {
		check_restore(&archive);
		for (int i = 0; i < 3; i++)
			check_manner(&archive, file, &manners[i], seed);
	}
	blob_release(&archive);
	return nchunked;
}

/* Variables of two to four dimensions, most of them large enough for chunks. */
static void make_file(uint64_t *seed, struct blob *out)
{
	struct shape shape = { .version = 2, .ndims = 5, .nvars = 3 };
	uint64_t end;

	for (uint32_t i = 0; i < 5; i++)
		shape.dims[i] = 5 + check_random_below(seed, 13);
	shape.dims[0] = 0;
	shape.numrecs = 1 + check_random_below(seed, 60);
	for (uint32_t v = 0; v < 3; v++) {
		struct shape_var *var = &shape.vars[v];
		uint32_t first = (uint32_t)check_random_below(seed, 2);

		var->type = 3 + (uint32_t)check_random_below(seed, 4);
		var->rank = 3 + (uint32_t)check_random_below(seed, 2);
		for (uint32_t k = 0; k < var->rank; k++)
			var->dimids[k] = first + k;
	}
	shape_place(&shape, 0);
	end = shape_end(&shape);
	if (check_random_below(seed, 2))
		end -= check_random_below(seed, end - shape.vars[0].begin);
	shape_file(&shape, end, seed, out);
}

static void test_small(void)
{
	uint64_t seed = 91;
	uint32_t nchunked = 0;

	for (int i = 0; i < 50; i++) {
		struct blob file = { 0 };

		make_file(&seed, &file);
		nchunked += check_file(&file, &seed);
		blob_release(&file);
	}
	CHECK(nchunked > 60);
}

/* Several threads take chunks of one request. */
static void test_large(void)
{
	uint64_t seed = 92;
	uint32_t nchunked = 0;

	for (int i = 0; i < 4; i++) {
		struct blob file = { 0 };

		made_file(MADE_LARGE, &seed, &file);
		nchunked += check_file(&file, &seed);
		blob_release(&file);
	}
	CHECK(nchunked > 1);
}

int main(void)
{
	RUN(test_small);
	RUN(test_large);
	return check_report();
}
