/* SPDX-License-Identifier: MIT */
/*
 * Variables that level 9 joins in one stream where they repeat each other: which
 * are joined, and that each is read as from an archive in which they are not.
 */
#include "check.h"
#include "converted.h"
#include "packed.h"
#include "shape.h"
#include "slab.h"
#include "nc3z_tools.h"

#define NFIXED 4
#define NRECORD 3
#define NVARS (NFIXED + NRECORD)

static const struct manner highest = { .level = 9, .nthreads = 1 };

/* Doubles (40, 50), and (time, 50) of 60 records. */
static struct shape make_shape(void)
{
	struct shape shape = {
		.version = 2,
		.numrecs = 60,
		.ndims = 3,
		.dims = { 0, 40, 50 },
		.nvars = NVARS,
	};

	for (uint32_t v = 0; v < NVARS; v++)
		shape.vars[v] = (struct shape_var){
			.type = 6,
			.rank = 2,
			.dimids = { v < NFIXED ? 1 : 0, 2 },
		};
	shape_place(&shape, 0);
	return shape;
}

/*
 * Noise: all but the same for all variables, for equal ones would be duplicates,
 * or another for each.
 */
static uint64_t value(uint32_t variable, uint64_t element, bool repeats)
{
	bool is_own = !repeats || element == 7 * variable;
	uint64_t seed = 1 + element + (is_own ? (variable + 1) << 20 : 0);

	check_random(&seed);
	/* No NaN, whose bits a conversion may change. */
	return check_random(&seed) & ~(UINT64_C(1) << 62);
}

static struct blob make_file(bool repeats)
{
	const struct shape shape = make_shape();
	struct blob file = { 0 }, head = { 0 };

	shape_write(&shape, &head);
	blob_fill(&file, 0, (size_t)shape_end(&shape));
	memcpy(file.data, head.data, head.nbytes);
	for (uint32_t v = 0; v < NVARS; v++)
		for (uint64_t i = 0; i < (v < NFIXED ? 2000 : 3000); i++) {
			uint64_t bits = value(v, i, repeats);
			uint64_t at = shape.vars[v].begin + i * 8;

			if (v >= NFIXED)
				at = shape.vars[v].begin + i % 50 * 8 +
				     i / 50 * shape_record_nbytes(&shape);
			for (unsigned k = 0; k < 8; k++)
				file.data[at + k] =
					(uint8_t)(bits >> (56 - 8 * k));
		}
	blob_release(&head);
	return file;
}

static struct nc3z_storage storage_of(struct nc3z_file *file, int varid)
{
	struct nc3z_storage storage = { 0 };

	CHECK(nc3z_inq_storage(file, varid, &storage, NULL) == NC3Z_OK);
	return storage;
}

/* All variables of a section in one stream, or each in its own. */
static void check_streams(struct nc3z_file *file, bool joined)
{
	for (int v = 0; v < NVARS; v++) {
		const int first = v < NFIXED ? 0 : NFIXED;
		const struct nc3z_storage s = storage_of(file, v);
		struct nc3z_stream_info info = { 0 };

		REQUIRE(nc3z_inq_stream(file, s.stream, &info, NULL) ==
			NC3Z_OK);
		CHECK_EQ_U64(s.nblocks, 1);
		CHECK(!s.is_shared == !joined);
		CHECK(info.nvars == !joined ? 1 :
		      v < NFIXED            ? NFIXED :
					      NRECORD);
		CHECK(info.varid == (joined ? first : v));
		if (v > first)
			CHECK((s.stream == storage_of(file, v - 1).stream) ==
			      joined);
	}
}

/* Random hyperslabs of a variable, the same from both. */
static void check_slabs(struct nc3z_file *a, struct nc3z_file *b, int varid,
			uint64_t *seed)
{
	static struct slab_request slab;
	double values[2][3000];
	struct nc3z_var var;

	REQUIRE(nc3z_inq_var(a, varid, &var, NULL) == NC3Z_OK);
	for (int i = 0; i < 40; i++) {
		struct hyperslab_request *q = &slab.request;
		struct nc3z_hyperslab call;

		slab.shape[0] = var.shape[0];
		slab.shape[1] = var.shape[1];
		do {
			slab_random(&slab, 2, seed);
		} while (q->form < HYPERSLAB_VARA);
		call = (struct nc3z_hyperslab){ .start = q->start,
						.count = q->count,
						.stride = q->stride };
		memset(values, 0x5a, sizeof(values));
		CHECK(nc3z_get(a, varid, &call, NC3Z_DOUBLE, values[0], NULL) ==
		      NC3Z_OK);
		CHECK(nc3z_get(b, varid, &call, NC3Z_DOUBLE, values[1], NULL) ==
		      NC3Z_OK);
		CHECK(memcmp(values[0], values[1], sizeof(values[0])) == 0);
	}
}

/* Packed at level 9 and with blocks of its own for each variable. */
static void check_file(bool repeats)
{
	const struct manner apart = { .block_nbytes = 4 << 20, .level = 9 };
	struct blob original = make_file(repeats);
	struct blob archive = packed_make(&original, &highest);
	struct blob plain = packed_make(&original, &apart);
	struct nc3z_file *file = packed_open(&archive, &highest);
	struct nc3z_file *other = packed_open(&plain, &apart);
	uint8_t *bytes = malloc(original.nbytes);
	uint64_t seed = 9;
	size_t got;

	REQUIRE(file && other && bytes);
	check_streams(file, repeats);
	check_streams(other, false);
	if (repeats)
		CHECK(archive.nbytes < plain.nbytes / 2);
	for (int v = 0; v < NVARS; v++)
		check_slabs(file, other, v, &seed);
	CHECK(nc3z_pread(file, bytes, original.nbytes, 0, &got, NULL) ==
	      NC3Z_OK);
	CHECK_MEM_EQ(bytes, original.data, original.nbytes);
	free(bytes);
	nc3z_close(file);
	nc3z_close(other);
	blob_release(&archive);
	blob_release(&plain);
	blob_release(&original);
}

static void test_repeating(void)
{
	check_file(true);
}

static void test_different(void)
{
	check_file(false);
}

/* Neither other levels nor files with chunks or a block size are joined. */
static void test_not_asked(void)
{
	static const struct manner manners[] = {
		{ .level = 8 },
		{ .level = 9, .block_nbytes = 1 << 20 },
		{ .level = 9, .chunks = "d1/40,d2/50,d0/60" },
	};
	struct blob original = make_file(true);

	for (size_t i = 0; i < sizeof(manners) / sizeof(*manners); i++) {
		struct blob archive = packed_make(&original, &manners[i]);
		struct nc3z_file *file = packed_open(&archive, &manners[i]);

		REQUIRE(file);
		check_streams(file, false);
		CHECK_EQ_U64(storage_of(file, 0).nchunk_dims, i == 2 ? 2 : 0);
		nc3z_close(file);
		blob_release(&archive);
	}
	blob_release(&original);
}

/* Converting keeps the streams; chunks take variables apart. */
static void test_converted(void)
{
	const struct way other = { .level = 2 };
	const struct way back = { .level = 9 };
	const struct way chunks = { .level = 9,
				    .chunks = { "d1/20,d2/50,d0/60" } };
	struct blob original = make_file(true);
	struct blob archive = packed_make(&original, &highest);
	struct blob low, again, chunked;
	struct nc3z_file *file;
	int status;

	low = way_convert(&archive, &other, NULL, &status);
	CHECK(status == NC3Z_OK);
	file = packed_open(&low, &highest);
	REQUIRE(file);
	check_streams(file, true);
	nc3z_close(file);
	again = way_convert(&low, &back, NULL, &status);
	CHECK(status == NC3Z_OK);
	CHECK_EQ_U64(again.nbytes, archive.nbytes);
	CHECK_MEM_EQ(again.data, archive.data, archive.nbytes);
	chunked = way_convert(&archive, &chunks, NULL, &status);
	CHECK(status == NC3Z_OK);
	file = packed_open(&chunked, &highest);
	REQUIRE(file);
	CHECK_EQ_U64(storage_of(file, 0).nblocks, 2);
	CHECK(!storage_of(file, 0).is_shared);
	nc3z_close(file);
	blob_release(&low);
	blob_release(&again);
	blob_release(&chunked);
	blob_release(&archive);
	blob_release(&original);
}

int main(void)
{
	RUN(test_repeating);
	RUN(test_different);
	RUN(test_not_asked);
	RUN(test_converted);
	return check_report();
}
