/* SPDX-License-Identifier: MIT */
#include "converted.h"

#include "check.h"
#include "in_memory.h"
#include "nc3z_tools.h"

struct nc3z_pack_options way_options(const struct way *way)
{
	struct nc3z_pack_options options;

	nc3z_pack_options_init(&options);
	options.nthreads = way->nthreads ? way->nthreads : 1;
	options.level = way->level ? way->level : 1;
	options.codec = way->codec ? way->codec : NC3Z_CODEC_ZSTD;
	options.chunks = way->chunks;
	while (options.nchunks < 2 && way->chunks[options.nchunks])
		options.nchunks++;
	if (way->block_nbytes)
		options.block_nbytes = way->block_nbytes;
	if (way->max_memory_nbytes)
		options.max_memory_nbytes = way->max_memory_nbytes;
	return options;
}

/* A job from memory to memory. */
struct ends {
	struct nc3z_source *source;
	struct nc3z_sink *sink;
};

static struct ends open_ends(const struct blob *from)
{
	return (struct ends){ memory_source(from->data, from->nbytes),
			      memory_sink() };
}

static struct blob close_ends(struct ends *e, int status)
{
	struct blob out = { 0 };
	const void *data;
	size_t nbytes;

	data = nc3z_sink_memory(e->sink, &nbytes);
	if (status == NC3Z_OK)
		blob_put(&out, data, nbytes);
	nc3z_source_close(e->source);
	nc3z_sink_close(e->sink);
	return out;
}

struct blob way_pack(const struct blob *file, const struct way *way,
		     int *status_ret)
{
	struct nc3z_pack_options options = way_options(way);
	struct ends e = open_ends(file);

	*status_ret = nc3z_pack(e.source, e.sink, &options, NULL, NULL);
	return close_ends(&e, *status_ret);
}

struct blob way_convert(const struct blob *archive, const struct way *way,
			struct nc3z_conversion *conversion_ret, int *status_ret)
{
	struct nc3z_pack_options options = way_options(way);
	struct ends e = open_ends(archive);

	options.block_nbytes = way->block_nbytes;
	*status_ret = nc3z_convert(e.source, e.sink, &options, conversion_ret,
				   NULL, NULL);
	return close_ends(&e, *status_ret);
}

int way_plan(const struct blob *archive, const struct way *way,
	     struct nc3z_conversion *conversion_ret)
{
	struct nc3z_pack_options options = way_options(way);
	struct ends e = open_ends(archive);
	int status;

	options.block_nbytes = way->block_nbytes;
	status = nc3z_plan_conversion(e.source, &options, conversion_ret, NULL);
	close_ends(&e, NC3Z_EINVAL);
	return status;
}
