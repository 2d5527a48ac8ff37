/* SPDX-License-Identifier: MIT */
/*
 * The limit to the size of an original, in all ways of restoring: nothing is
 * restored if the archive says its size, and never more than is allowed.
 */
#include "check.h"
#include "in_memory.h"
#include "nc3z.h"
#include "pipes.h"
#include "shape.h"

/* Several buffers of the hasher. */
#define ORIGINAL_NBYTES 1500000

/* A record variable, cut into chunks that reach far if they are wanted. */
static void make_original(struct blob *original)
{
	struct shape shape = { .version = 2,
			       .numrecs = 375,
			       .ndims = 2,
			       .dims = { 0, 1000 },
			       .nvars = 1 };
	uint64_t seed = 60;

	shape.vars[0] =
		(struct shape_var){ .type = 4, .rank = 2, .dimids = { 0, 1 } };
	shape_place(&shape, 0);
	*original = (struct blob){ 0 };
	shape_file(&shape, ORIGINAL_NBYTES, &seed, original);
}

static void pack(const struct blob *original, bool is_chunked,
		 struct blob *archive)
{
	static const char *const chunks[] = { "var_0:100,200" };
	struct nc3z_pack_options options;

	nc3z_pack_options_init(&options);
	options.level = 0;
	options.block_nbytes = 1 << 16;
	options.chunks = chunks;
	options.nchunks = is_chunked;
	*archive = (struct blob){ 0 };
	memory_pack(original, &options, archive);
}

/* How an archive is restored. */
struct way {
	bool is_chunked; /* with too little memory: in places, or in stripes */
	bool from_pipe;
	bool to_file;
};

static const struct way ways[] = {
	{ .is_chunked = false },
	{ .is_chunked = false, .from_pipe = true },
	{ .is_chunked = false, .from_pipe = true, .to_file = true },
	{ .is_chunked = true },
	{ .is_chunked = true, .to_file = true },
	{ .is_chunked = true, .from_pipe = true, .to_file = true },
};

static int restore(const struct way *way, struct nc3z_source *source,
		   uint64_t max_nbytes, struct blob *out)
{
	struct nc3z_error err = { .status = NC3Z_OK };
	struct nc3z_restore_options options;
	struct nc3z_sink *sink;
	const void *data;
	size_t nbytes;
	int status;

	nc3z_restore_options_init(&options);
	CHECK_EQ_U64(options.max_original_nbytes, 0);
	options.max_original_nbytes = max_nbytes;
	options.max_memory_nbytes = way->is_chunked ? 100000 : 1 << 20;
	if (way->to_file)
		CHECK(nc3z_sink_open_path("limited", NC3Z_SINK_REPLACE, 0600,
					  &sink, NULL) == NC3Z_OK);
	else
		CHECK(nc3z_sink_open_memory(1 << 24, &sink, NULL) == NC3Z_OK);
	status = nc3z_restore(source, sink, &options, NULL, &err);
	CHECK(err.status == status);
	*out = (struct blob){ 0 };
	data = nc3z_sink_memory(sink, &nbytes);
	blob_put(out, data, nbytes);
	if (way->to_file && status == NC3Z_OK) {
		CHECK(nc3z_sink_commit(sink, NULL) == NC3Z_OK);
		CHECK(file_read("limited", out));
	}
	nc3z_sink_close(sink);
	return status;
}

static int restore_from(const struct way *way, const struct blob *archive,
			uint64_t max_nbytes, struct blob *out)
{
	struct nc3z_source *source;
	struct feeder feeder;
	int status;

	if (way->from_pipe) {
		feeder_start(&feeder, archive->data, archive->nbytes, 5000);
		CHECK(nc3z_source_open_fd(feeder.read_fd, &source, NULL) ==
		      NC3Z_OK);
	} else {
		source = memory_source(archive->data, archive->nbytes);
	}
	status = restore(way, source, max_nbytes, out);
	nc3z_source_close(source);
	if (way->from_pipe)
		feeder_stop(&feeder);
	return status;
}

static void check_way(const struct way *way, const struct blob *original,
		      const struct blob *archive)
{
	static const uint64_t enough[] = { 0, ORIGINAL_NBYTES, UINT64_MAX };
	static const uint64_t less[] = { 1, 100, 200000, 1000000,
					 ORIGINAL_NBYTES - 1 };
	struct blob out;

	for (unsigned i = 0; i < 3; i++) {
		CHECK(restore_from(way, archive, enough[i], &out) == NC3Z_OK);
		if (CHECK_EQ_U64(out.nbytes, original->nbytes))
			CHECK_MEM_EQ(out.data, original->data, out.nbytes);
		blob_release(&out);
	}
	for (unsigned i = 0; i < 5; i++) {
		CHECK(restore_from(way, archive, less[i], &out) == NC3Z_ELIMIT);
		if (CHECK(out.nbytes <= (way->from_pipe ? less[i] : 0)))
			CHECK_MEM_EQ(out.data, original->data, out.nbytes);
		/* In order, as much as is allowed, in whole buffers. */
		CHECK(way->to_file || !way->from_pipe || less[i] < 200000 ||
		      out.nbytes > 0);
		blob_release(&out);
	}
}

static void test_ways(void)
{
	struct blob original, archives[2];

	make_original(&original);
	pack(&original, false, &archives[0]);
	pack(&original, true, &archives[1]);
	for (unsigned i = 0; i < sizeof(ways) / sizeof(*ways); i++)
		check_way(&ways[i], &original, &archives[ways[i].is_chunked]);
	blob_release(&archives[0]);
	blob_release(&archives[1]);
	blob_release(&original);
	CHECK(remove("limited") == 0);
}

/* To check an archive is limited like to restore it. */
static void test_verify(void)
{
	struct nc3z_restore_options options;
	struct blob original, archive;
	struct nc3z_source *source;

	make_original(&original);
	pack(&original, false, &archive);
	source = memory_source(archive.data, archive.nbytes);
	nc3z_restore_options_init(&options);
	options.max_original_nbytes = ORIGINAL_NBYTES;
	CHECK(nc3z_verify(source, &options, NULL, NULL) == NC3Z_OK);
	CHECK(nc3z_verify_quick(source, &options, NULL, NULL) == NC3Z_OK);
	options.max_original_nbytes--;
	CHECK(nc3z_verify(source, &options, NULL, NULL) == NC3Z_ELIMIT);
	CHECK(nc3z_verify_quick(source, &options, NULL, NULL) == NC3Z_ELIMIT);
	nc3z_source_close(source);
	blob_release(&original);
	blob_release(&archive);
}

int main(void)
{
	RUN(test_ways);
	RUN(test_verify);
	return check_report();
}
