/* SPDX-License-Identifier: MIT */
/*
 * Opening a file for reading values.  An archive is opened from its end: its
 * catalogue has the plan, its header copy the names, its stream copies the
 * values of small variables; where there is no copy the header comes from the
 * blocks.  A plain file gets a plan of one stream.
 */
#include <stdlib.h>
#include <string.h>

#include "base/options.h"
#include "base/sizes.h"
#include "parallel/threads.h"
#include "read/ahead.h"
#include "read/original.h"
#include "read/shared_cache.h"

/* Blocks of a plain file: what is read of it for a single value. */
#define PLAIN_BLOCK_NBYTES (UINT32_C(64) << 10)

/* How much of a plain file is read at first, for its header. */
static size_t plain_head_nbytes(const struct nc3z_source *source)
{
	return source_is_slow(source) ? SOURCE_FRONT_NBYTES : (size_t)64 << 10;
}

void nc3z_open_options_init_sized(struct nc3z_open_options *options,
				  size_t options_nbytes)
{
	const struct nc3z_open_options defaults = {
		.cache_nbytes = NC3Z_CACHE_SHARED,
		.readahead_nbytes = NC3Z_READAHEAD_NBYTES_DEFAULT,
	};

	options_init(options, options_nbytes, &defaults, sizeof(defaults));
}

static unsigned request_nthreads(const struct nc3z_open_options *o)
{
	const char *text = getenv("NC3Z_THREADS");
	unsigned long wanted = o->nthreads;

	if (wanted == 0 && text)
		wanted = strtoul(text, NULL, 10);
	return threads_wanted((unsigned)size_min(wanted, NC3Z_THREADS_MAX));
}

static int make_plain_plan(struct plan *plan, struct nc3z_error *err)
{
	plan->streams = memory_alloc(1, sizeof(*plan->streams));
	if (!plan->streams)
		return error_set_memory(err);
	plan->nstreams = 1;
	plan->streams[0] = (struct plan_stream){
		.width = 1,
		.block_nbytes = PLAIN_BLOCK_NBYTES,
		.members = memory_alloc(1, sizeof(struct plan_member)),
		.nmembers = 1,
		.nbytes = PLAN_OFFSET_END,
	};
	if (!plan->streams[0].members)
		return error_set_memory(err);
	plan->streams[0].members[0] = (struct plan_member){
		.variable = PLAN_NO_VARIABLE,
		.nbytes = PLAN_OFFSET_END,
	};
	return plan_finish(plan, err);
}

/* Parses the header of a plain file, reading more until it is whole. */
static int read_plain_header(struct nc3z_file *file, struct nc3z_error *err)
{
	uint64_t size = file->source->size;
	size_t nbytes = plain_head_nbytes(file->source);
	bool more = true;

	while (more) {
		nbytes = (size_t)size_min(nbytes, size);
		NC3Z_TRY(source_read_growing(file->source, 0, nbytes,
					     &file->head, err));
		NC3Z_TRY(classic_header_parse(file->head.data, nbytes,
					      nbytes == size, &file->header,
					      &more, err));
		if (more && nbytes > PLAN_HEADER_NBYTES_MAX)
			return error_set(err, NC3Z_ELIMIT,
					 "header is too long");
		nbytes *= 2;
	}
	return NC3Z_OK;
}

static int open_plain(struct nc3z_file *file, struct nc3z_error *err)
{
	int status;

	if (file->source->size >= PLAN_OFFSET_END)
		return error_set(err, NC3Z_ELIMIT, "file is too long");
	status = read_plain_header(file, err);
	if (status == NC3Z_ENOTCLASSIC)
		status = archive_refuse_other(file->source, status, err);
	NC3Z_TRY(status);
	NC3Z_TRY(make_plain_plan(&file->plan, err));
	return plan_map_init(&file->map, &file->plan, file->source->size, err);
}

/* The streams have the lengths and blocks that follow from the plan. */
static int check_catalogue(const struct nc3z_file *file, struct nc3z_error *err)
{
	const struct archive_catalogue *c = &file->archive.catalogue;

	for (uint32_t i = 0; i < file->plan.nstreams; i++)
		if (file->map.extents[i].nbytes != c->stream_nbytes[i] ||
		    file->map.extents[i].nblocks != c->stream_nblocks[i])
			return error_set(err, NC3Z_EDAMAGED,
					 "a stream does not have the blocks "
					 "that the plan says");
	return NC3Z_OK;
}

static int map_archive(struct nc3z_file *file, struct nc3z_error *err)
{
	const struct archive_catalogue *c = &file->archive.catalogue;

	NC3Z_TRY(plan_read(c->plan, c->plan_nbytes, &file->plan, err));
	if (c->original_nbytes >= PLAN_OFFSET_END ||
	    c->original_nbytes < file->plan.header_nbytes ||
	    c->nstreams != file->plan.nstreams)
		return error_set(err, NC3Z_EDAMAGED,
				 "catalogue and plan disagree");
	NC3Z_TRY(plan_map_init(&file->map, &file->plan, c->original_nbytes,
			       err));
	return check_catalogue(file, err);
}

/* Checks what the end of the archive repeats. */
static int read_copies(struct nc3z_file *file, struct nc3z_error *err)
{
	const struct archive_trailer *t = &file->archive.trailer;
	struct archive_copies_owner owner = {
		.last_header_crc = t->last_header_crc,
		.nstreams = file->plan.nstreams,
	};
	struct archive_copies copies = { 0 };
	int status = archive_reader_copies(&file->archive, &copies, err);

	/* The facts about streams are also in their blocks. */
	if ((status == NC3Z_EDAMAGED || status == NC3Z_EUNSUPPORTED) &&
	    copies.header.nbytes > 0) {
		copies.streams.nbytes = 0;
		status = NC3Z_OK;
	}
	memcpy(owner.identity, t->identity, FORMAT_IDENTITY_NBYTES);
	if (status == NC3Z_OK)
		status = stream_copies_init(&file->copies, &copies.streams,
					    &owner, &file->map, err);
	file->head = copies.header;
	copies.header = (struct buffer){ 0 };
	archive_copies_release(&copies);
	return status;
}

/* From the header copy, or where there is none, from the blocks. */
static int read_archive_header(struct nc3z_file *file, struct nc3z_error *err)
{
	size_t nbytes = (size_t)file->plan.header_nbytes;
	bool more;
	int status;

	if (file->head.nbytes == 0)
		NC3Z_TRY(original_read_head(file, nbytes, &file->head, err));
	else if (file->head.nbytes != nbytes)
		return error_set(err, NC3Z_EDAMAGED,
				 "header copy and plan disagree");
	status = classic_header_parse(file->head.data, nbytes, true,
				      &file->header, &more, err);
	/* Only a classic file is ever packed. */
	if (status == NC3Z_ENOTCLASSIC)
		status = error_set(err, NC3Z_EDAMAGED,
				   "original has no classic header");
	return status;
}

static int open_archive(struct nc3z_file *file, struct nc3z_error *err)
{
	NC3Z_TRY(archive_reader_open(&file->archive, file->source, err));
	NC3Z_TRY(map_archive(file, err));
	if (file->archive.trailer.header_copy_offset <
	    file->archive.trailer.catalogue_offset)
		NC3Z_TRY(read_copies(file, err));
	return read_archive_header(file, err);
}

static int make_cache(struct nc3z_file *file, uint64_t nbytes,
		      struct nc3z_error *err)
{
	static atomic_uint_least64_t nowners;

	file->owner = atomic_fetch_add(&nowners, 1);
	if (nbytes == NC3Z_CACHE_SHARED) {
		file->shared_cache = shared_cache_take();
		if (file->shared_cache)
			file->cache = shared_cache_of(file->shared_cache);
	} else {
		file->cache = cache_new(nbytes);
	}
	return file->cache ? NC3Z_OK : error_set_memory(err);
}

static void release_cache(struct nc3z_file *file)
{
	if (!file->shared_cache) {
		cache_free(file->cache);
		return;
	}
	cache_drop(file->cache, file->owner);
	shared_cache_give(file->shared_cache);
}

/* A plain file needs no decoding. */
static int make_workers(struct nc3z_file *file,
			const struct nc3z_open_options *options,
			struct nc3z_error *err)
{
	if (!file->is_archive || file->nthreads < 2)
		return NC3Z_OK;
	file->workers = workers_new(file->nthreads - 1, ahead_decode, file);
	if (!file->workers)
		return error_set_memory(err);
	if (options->readahead_nbytes == 0 || options->cache_nbytes == 0)
		return NC3Z_OK;
	file->ahead = ahead_new(file, options->readahead_nbytes);
	return file->ahead ? NC3Z_OK : error_set_memory(err);
}

static int open_file(struct nc3z_file *file,
		     const struct nc3z_open_options *options,
		     struct nc3z_error *err)
{
	uint8_t magic[FORMAT_MAGIC_NBYTES];
	size_t got;

	file->nthreads = request_nthreads(options);
	file->ignores_truncation = options->ignores_truncation;
	NC3Z_TRY(make_cache(file, options->cache_nbytes, err));
	NC3Z_TRY(source_windows_open(file->origin, &file->source, err));
	NC3Z_TRY(source_read_at(file->source, 0, magic, sizeof(magic), &got,
				err));
	if (got == sizeof(magic))
		NC3Z_TRY(archive_refuse_part(magic, err));
	file->is_archive = got == sizeof(magic) &&
			   memcmp(magic, FORMAT_MAGIC, sizeof(magic)) == 0;
	NC3Z_TRY(file->is_archive ? open_archive(file, err) :
				    open_plain(file, err));
	NC3Z_TRY(describe_file(file, err));
	if (file->is_archive)
		file->nthreads = block_decoding_threads(
			file->nthreads, plan_map_largest_block(&file->map));
	return make_workers(file, options, err);
}

void file_disown_source(struct nc3z_file *file)
{
	source_windows_close(file->origin, file->source);
	file->origin = file->source = NULL;
}

/* Everything but the source. */
static void file_release(struct nc3z_file *file)
{
	workers_free(file->workers);
	ahead_free(file->ahead);
	describe_release(file);
	fetch_release(file);
	stream_copies_release(&file->copies);
	release_cache(file);
	classic_header_release(&file->header);
	buffer_release(&file->head);
	plan_map_release(&file->map);
	plan_release(&file->plan);
	archive_reader_release(&file->archive);
	file_disown_source(file);
	pthread_mutex_destroy(&file->lock);
	free(file);
}

int nc3z_open_source(struct nc3z_source *source,
		     const struct nc3z_open_options *options,
		     struct nc3z_file **file_ret, struct nc3z_error *err)
{
	NC3Z_NEED(err, source && file_ret);

	struct nc3z_open_options own;
	struct nc3z_file *file;
	int status;

	nc3z_open_options_init(&own);
	NC3Z_TRY(options_copy(&own, sizeof(own), options, err));
	NC3Z_TRY(threads_check(own.nthreads, err));
	NC3Z_TRY(source_check_can_seek(source, err));
	file = calloc(1, sizeof(*file));
	if (!file)
		return error_set_memory(err);
	pthread_mutex_init(&file->lock, NULL);
	file->origin = source;
	status = open_file(file, &own, err);
	if (status == NC3Z_OK)
		*file_ret = file;
	else
		file_release(file);
	return status;
}

int nc3z_open(const char *path, const struct nc3z_open_options *options,
	      struct nc3z_file **file_ret, struct nc3z_error *err)
{
	NC3Z_NEED(err, path && file_ret);

	struct nc3z_source *source;
	int status;

	NC3Z_TRY(nc3z_source_open_name(path, 0, &source, err));
	status = nc3z_open_source(source, options, file_ret, err);
	if (status != NC3Z_OK)
		nc3z_source_close(source);
	return status;
}

void nc3z_close(struct nc3z_file *file)
{
	struct nc3z_source *source;

	if (!file)
		return;
	source = file->origin;
	file_release(file);
	nc3z_source_close(source);
}
