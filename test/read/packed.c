/* SPDX-License-Identifier: MIT */
#include "packed.h"

#include "check.h"
#include "in_memory.h"

struct blob packed_make(const struct blob *file, const struct manner *manner)
{
	struct nc3z_pack_options options;
	struct blob archive = { 0 };

	nc3z_pack_options_init(&options);
	options.nthreads = 1;
	options.level = manner->level ? manner->level : 1;
	options.codec = manner->codec ? manner->codec : NC3Z_CODEC_ZSTD;
	if (manner->block_nbytes)
		options.block_nbytes = manner->block_nbytes;
	if (manner->chunks) {
		options.chunks = &manner->chunks;
		options.nchunks = 1;
	}
	memory_pack(file, &options, &archive);
	return archive;
}

struct nc3z_open_options packed_options(const struct manner *manner)
{
	struct nc3z_open_options options;

	nc3z_open_options_init(&options);
	options.nthreads = manner->nthreads ? manner->nthreads : 1;
	if (manner->cache_nbytes)
		options.cache_nbytes = manner->cache_nbytes;
	if (manner->has_no_cache)
		options.cache_nbytes = 0;
	options.ignores_truncation = manner->ignores_truncation;
	return options;
}

struct nc3z_file *packed_open(const struct blob *bytes,
			      const struct manner *manner)
{
	struct nc3z_open_options options = packed_options(manner);
	struct nc3z_source *source = memory_source(bytes->data, bytes->nbytes);
	struct nc3z_file *file = NULL;
	struct nc3z_error err = { 0 };

	CHECK(nc3z_open_source(source, &options, &file, &err) == NC3Z_OK);
	CHECK_STR_EQ(err.text, "");
	if (!file)
		nc3z_source_close(source);
	return file;
}
