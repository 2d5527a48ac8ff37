/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as an archive that is converted: what comes of it is an archive of
 * the same original, after as many decodings as were planned.
 */
#include <string.h>

#include "archive_input.h"
#include "fuzz.h"
#include "nc3z_tools.h"

/* No more is converted; a few dozen bytes can stand for gigabytes. */
#define ORIGINAL_NBYTES_MAX ((uint64_t)2 << 20)

static struct nc3z_pack_options options_of(size_t nbytes)
{
	static const char *const chunks[] = { "linear", "series", "balanced" };
	struct nc3z_pack_options options;

	nc3z_pack_options_init(&options);
	options.nthreads = 1;
	options.level = 1;
	options.max_memory_nbytes = nbytes % 5 ? UINT64_C(1) << 22 :
				    nbytes % 2 ? 5000 :
						 20000;
	options.block_nbytes = nbytes % 3 ? NC3Z_BLOCK_NBYTES_MIN : 0;
	options.chunks = &chunks[nbytes % 3];
	options.nchunks = nbytes % 2;
	return options;
}

static void check_status(int status, const struct nc3z_error *err)
{
	FUZZ_CHECK(status == NC3Z_OK || status == NC3Z_ENOTARCHIVE ||
		   status == NC3Z_EDAMAGED || status == NC3Z_EUNSUPPORTED ||
		   status == NC3Z_EINVAL || status == NC3Z_ELIMIT);
	FUZZ_CHECK(err->status == status);
	FUZZ_CHECK((status == NC3Z_OK) == (err->text[0] == '\0'));
}

static void check_converted(const struct nc3z_sink *sink,
			    const struct nc3z_summary *original)
{
	struct nc3z_restore_options options;
	struct nc3z_source *source;
	struct nc3z_summary found;
	size_t nbytes;
	const void *data = nc3z_sink_memory(sink, &nbytes);

	nc3z_restore_options_init(&options);
	options.nthreads = 1;
	FUZZ_CHECK(nc3z_source_open_memory(data, nbytes, &source, NULL) ==
		   NC3Z_OK);
	FUZZ_CHECK(nc3z_verify(source, &options, &found, NULL) == NC3Z_OK);
	FUZZ_CHECK(memcmp(found.sha256, original->sha256,
			  sizeof(found.sha256)) == 0);
	nc3z_source_close(source);
}

static void convert(struct nc3z_source *source,
		    const struct nc3z_pack_options *options,
		    const struct nc3z_conversion *planned)
{
	struct nc3z_conversion done;
	struct nc3z_summary written, original;
	struct nc3z_error err = { 0 };
	struct nc3z_sink *sink;
	int status;

	FUZZ_CHECK(nc3z_sink_open_memory(SIZE_MAX, &sink, NULL) == NC3Z_OK);
	status = nc3z_convert(source, sink, options, &done, &written, &err);
	check_status(status, &err);
	if (status == NC3Z_OK) {
		FUZZ_CHECK(nc3z_summarize(source, &original, NULL) == NC3Z_OK);
		FUZZ_CHECK(done.ndecodings == planned->ndecodings);
		check_converted(sink, &original);
	}
	nc3z_sink_close(sink);
}

static void run(const uint8_t *data, size_t nbytes)
{
	const struct nc3z_pack_options options = options_of(nbytes);
	struct nc3z_conversion planned;
	struct nc3z_error err = { 0 };
	struct nc3z_source *source;
	int status;

	FUZZ_CHECK(nc3z_source_open_memory(data, nbytes, &source, NULL) ==
		   NC3Z_OK);
	status = nc3z_plan_conversion(source, &options, &planned, &err);
	check_status(status, &err);
	if (status == NC3Z_OK &&
	    planned.original_nbytes <= ORIGINAL_NBYTES_MAX &&
	    planned.ndecodings <= 10000)
		convert(source, &options, &planned);
	nc3z_source_close(source);
}

/* Large files take long and show no more. */
static size_t from_classic(const uint8_t *file, size_t file_nbytes,
			   uint64_t seed, struct fuzz_room room)
{
	if (file_nbytes > 4000 && seed % 4 != 0)
		return 0;
	return archive_from_classic(file, file_nbytes, seed, room);
}

const struct fuzz_target fuzz_target = {
	.memory_nbytes_max = (size_t)1 << 30,
	.run = run,
	.from_classic = from_classic,
	.mutate = archive_mutate,
};
