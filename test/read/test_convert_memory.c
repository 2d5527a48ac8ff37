/* SPDX-License-Identifier: MIT */
/*
 * What converting holds in memory, byte for byte, beside what is allowed and
 * what it says: chunks that are read and written do not take more.
 */
#include "check.h"
#include "converted.h"
#include "failing.h"
#include "shape.h"

/* Bytes to be hashed, buffers, indices: the same whatever chunks take. */
#define OTHER_NBYTES ((size_t)3 << 19)

#define BAND_NBYTES ((size_t)64 * 128 * 256 * 4)

/* To an archive that is thrown away; how much was held. */
static size_t hold(const struct blob *archive, const char *chunks,
		   uint64_t max_nbytes)
{
	const struct way way = {
		.chunks = { chunks },
		.block_nbytes = 65536,
		.max_memory_nbytes = max_nbytes,
	};
	struct nc3z_pack_options options = way_options(&way);
	struct nc3z_conversion planned = { 0 }, done = { 0 };
	struct nc3z_source *source = NULL;
	struct nc3z_sink *sink = NULL;
	size_t before, most;

	CHECK(way_plan(archive, &way, &planned) == NC3Z_OK);
	CHECK(planned.memory_nbytes <= max_nbytes);
	CHECK(nc3z_source_open_memory(archive->data, archive->nbytes, &source,
				      NULL) == NC3Z_OK);
	CHECK(nc3z_sink_open_path("never-named", 0, 0600, &sink, NULL) ==
	      NC3Z_OK);
	failing_reset_most();
	before = failing_most_nbytes();
	CHECK(nc3z_convert(source, sink, &options, &done, NULL, NULL) ==
	      NC3Z_OK);
	most = failing_most_nbytes() - before;
	CHECK_EQ_U64(done.ndecodings, planned.ndecodings);
	CHECK(most <= planned.memory_nbytes + OTHER_NBYTES);
	nc3z_source_close(source);
	nc3z_sink_close(sink);
	return most;
}

/* 8 MiB in one band of either layout. */
static void test_bound(void)
{
	static const char *const layouts[] = { "linear", "d0/64,d1/16,d2/16",
					       "d0/64,d1/32,d2/8" };
	struct shape shape = {
		.version = 2,
		.numrecs = 64,
		.ndims = 3,
		.dims = { 0, 128, 256 },
		.nvars = 1,
		.vars = { { .type = 5, .rank = 3, .dimids = { 0, 1, 2 } } }
	};
	struct blob file = { 0 };
	uint64_t seed = 960;

	shape_place(&shape, 0);
	shape_file(&shape, shape_end(&shape), &seed, &file);
	/* An archive of which the last bytes that are kept take little. */
	memset(file.data + shape.vars[0].begin, 7,
	       file.nbytes - shape.vars[0].begin);
	for (int i = 0; i < 3; i++) {
		const struct way way = { .chunks = { layouts[i] },
					 .block_nbytes = 65536 };
		const char *to = layouts[(i + 1) % 3];
		struct blob archive;
		int status;

		archive = way_pack(&file, &way, &status);
		CHECK(status == NC3Z_OK);
		CHECK(hold(&archive, to, UINT64_C(64) << 20) > BAND_NBYTES);
		CHECK(hold(&archive, to, BAND_NBYTES / 8) < BAND_NBYTES / 3);
		CHECK(hold(&archive, to, BAND_NBYTES / 3) < BAND_NBYTES / 2);
		blob_release(&archive);
	}
	blob_release(&file);
}

int main(void)
{
	RUN(test_bound);
	return check_report();
}
