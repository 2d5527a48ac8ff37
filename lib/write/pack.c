/*
 * Packing a classic file, in one pass:
 *
 *   read the header -> plan -> superblock and plan record
 *   read on, byte after byte: SHA-256, and into the blocks of their streams;
 *   blocks that are full are encoded and appended
 *   index, copies of header and small streams, catalogue, trailer
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/options.h"
#include "base/sizes.h"
#include "parallel/hasher.h"
#include "parallel/threads.h"
#include "write/block_writer.h"
#include "write/pack.h"
#include "write/pack_header.h"
#include "write/pack_shape.h"
#include "write/small_streams.h"
#include "write/sorter.h"

struct packer {
	const struct pack_input *input;
	struct nc3z_source *in; /* of it */
	struct nc3z_sink *out;
	const struct nc3z_pack_options *options;
	struct buffer head; /* the first bytes of the file, with the header */
	struct classic_header header;
	struct pack_shape shape;
	struct buffer plan_bytes;
	struct archive_writer archive;
	struct block_writer blocks;
	struct sorter sorter;
	struct small_streams small;
	struct hasher *hasher;
	struct archive_catalogue catalogue;
	unsigned nthreads;
	struct nc3z_error *err;
};

static void __attribute__((format(printf, 2, 3)))
warn(const struct packer *p, const char *format, ...)
{
	char text[256];
	va_list args;

	if (!p->options->warn)
		return;
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	p->options->warn(p->options->context, text);
}

static void warn_of_header(const struct packer *p)
{
	const struct layout *layout = &p->shape.layout;
	const char *refusal = classic_refusal(&p->header);

	if (layout->nmisplaced == 1)
		warn(p,
		     "variable number %" PRIu32
		     " does not have its bytes to itself: they are kept "
		     "without its filters",
		     layout->first_misplaced);
	else if (layout->nmisplaced > 1)
		warn(p,
		     "%" PRIu32 " variables, the first of them number %" PRIu32
		     ", do not have their bytes to themselves: these are "
		     "kept without filters",
		     layout->nmisplaced, layout->first_misplaced);
	if (refusal)
		warn(p, "libnetcdf refuses this file: %s", refusal);
}

static int make_plan(struct packer *p)
{
	NC3Z_TRY(pack_shape_init(&p->shape, &p->header, p->options, p->err));
	warn_of_header(p);
	if (!plan_write(&p->shape.plan, &p->plan_bytes))
		return error_set_memory(p->err);
	return NC3Z_OK;
}

static int take_block(void *context, uint32_t stream, uint32_t block,
		      uint8_t *raw, size_t raw_nbytes, struct nc3z_error *err)
{
	struct packer *p = context;
	int status = small_streams_put(&p->small, stream, raw, raw_nbytes, err);

	if (status != NC3Z_OK) {
		free(raw);
		return status;
	}
	return block_writer_put(&p->blocks, stream, block, raw, raw_nbytes,
				err);
}

static int read_again(void *context, uint64_t offset, uint8_t *data,
		      size_t nbytes, struct nc3z_error *err)
{
	struct packer *p = context;
	size_t got;

	NC3Z_TRY(source_read_at(p->in, offset, data, nbytes, &got, err));
	if (got < nbytes)
		return error_set(err, NC3Z_ECHANGED,
				 "file changed while it was read");
	return NC3Z_OK;
}

static int fill_chunks(void *context, const struct plan_map *map,
		       uint32_t stream, const struct open_block *chunks,
		       size_t nchunks, struct nc3z_error *err)
{
	const struct packer *p = context;

	return p->input->fill(p->input->context, map, stream, chunks, nchunks,
			      err);
}

static uint32_t largest_block(const struct plan *plan)
{
	uint32_t nbytes = 0;

	for (uint32_t i = 0; i < plan->nstreams; i++)
		if (plan->streams[i].block_nbytes > nbytes)
			nbytes = plan->streams[i].block_nbytes;
	return nbytes;
}

static int begin_archive(struct packer *p)
{
	const struct block_writer_setup setup = {
		.archive = &p->archive,
		.settings = {
			.level = p->options->level,
			.codec = (uint8_t)p->options->codec,
		},
		.hints = p->shape.hints,
		.streams = p->shape.plan.streams,
		.plan = &p->plan_bytes,
		.nstreams = p->shape.plan.nstreams,
		.block_nbytes = largest_block(&p->shape.plan),
		.nthreads = p->nthreads,
	};
	const struct sorter_setup sorting = {
		.plan = &p->shape.plan,
		.max_nbytes = p->input->fill ? p->input->chunks_nbytes :
					       p->options->max_memory_nbytes,
		.take = take_block,
		.read = p->in->can_seek ? read_again : NULL,
		.fill = p->input->fill ? fill_chunks : NULL,
		.context = p,
	};

	NC3Z_TRY(sorter_init(&p->sorter, &sorting, p->err));
	NC3Z_TRY(hasher_new(p->nthreads > 1, &p->hasher, p->err));
	NC3Z_TRY(archive_writer_begin(&p->archive, FORMAT_MINOR, p->out,
				      &p->plan_bytes, p->shape.plan.nstreams,
				      p->err));
	NC3Z_TRY(small_streams_init(&p->small, &p->shape.plan, p->err));
	return block_writer_init(&p->blocks, &setup, p->err);
}

/*
 * The next bytes of the file into a buffer of the hasher: what was read with
 * the header first.
 */
static int read_next(struct packer *p, uint8_t *data, size_t *nbytes_ret)
{
	uint64_t at = p->sorter.position;

	if (at >= p->head.nbytes)
		return source_read_at(p->in, at, data, HASHER_BUFFER_NBYTES,
				      nbytes_ret, p->err);
	*nbytes_ret =
		(size_t)size_min(HASHER_BUFFER_NBYTES, p->head.nbytes - at);
	memcpy(data, p->head.data + at, *nbytes_ret);
	return NC3Z_OK;
}

static int put_file(struct packer *p)
{
	size_t nbytes;

	do {
		uint8_t *data = hasher_buffer(p->hasher);

		NC3Z_TRY(read_next(p, data, &nbytes));
		NC3Z_TRY(hasher_put(p->hasher, nbytes, p->err));
		NC3Z_TRY(sorter_put(&p->sorter, data, nbytes, p->err));
		if (p->options->progress)
			p->options->progress(p->options->context,
					     p->sorter.position,
					     p->out->position);
	} while (nbytes > 0);
	return NC3Z_OK;
}

static int check_size(const struct packer *p)
{
	uint64_t size = p->sorter.position;

	if (p->in->size != SOURCE_SIZE_UNKNOWN && p->in->size != size)
		return error_set(p->err, NC3Z_ECHANGED,
				 "file changed while it was read");
	NC3Z_TRY(source_check_unchanged(p->in, p->err));
	if (size < p->shape.layout.data_end)
		warn(p,
		     "file ends at %" PRIu64 ", its header speaks of data up "
		     "to %" PRIu64,
		     size, p->shape.layout.data_end);
	return NC3Z_OK;
}

static int fill_catalogue(struct packer *p, const struct plan_map *map)
{
	struct archive_catalogue *c = &p->catalogue;
	uint32_t n = p->shape.plan.nstreams;

	memcpy(c->identity, p->archive.identity, FORMAT_IDENTITY_NBYTES);
	c->original_nbytes = map->original_nbytes;
	c->plan = p->plan_bytes.data;
	c->plan_nbytes = p->plan_bytes.nbytes;
	c->stream_nbytes = memory_alloc(n, sizeof(*c->stream_nbytes));
	c->stream_nblocks = memory_alloc(n, sizeof(*c->stream_nblocks));
	if (!c->stream_nbytes || !c->stream_nblocks)
		return error_set_memory(p->err);
	c->nstreams = n;
	for (uint32_t i = 0; i < n; i++) {
		c->stream_nbytes[i] = map->extents[i].nbytes;
		c->stream_nblocks[i] = (uint32_t)map->extents[i].nblocks;
	}
	return hasher_end(p->hasher, c->sha256, p->err);
}

/* Writes what comes after the blocks. */
static int write_end(struct packer *p)
{
	const struct small_streams_setup setup = {
		.settings = p->blocks.settings,
		.hints = p->shape.hints,
		.owner = archive_writer_owner(&p->archive),
		.original_nbytes = p->sorter.position,
		.index_offset = p->out->position,
	};
	struct archive_copies copies = {
		.header = { .data = p->head.data,
			    .nbytes = (size_t)p->header.nbytes },
	};
	int status = NC3Z_OK;

	if (format_has_stream_copies(p->archive.minor, setup.index_offset))
		status = small_streams_copy(&p->small, &setup, &copies.streams,
					    p->err);
	if (status == NC3Z_OK)
		status = archive_writer_end(&p->archive, &p->catalogue, &copies,
					    p->err);
	buffer_release(&copies.streams);
	return status;
}

static int end_archive(struct packer *p)
{
	struct plan_map map;
	int status;

	NC3Z_TRY(check_size(p));
	NC3Z_TRY(plan_map_init(&map, &p->shape.plan, p->sorter.position,
			       p->err));
	status = sorter_end(&p->sorter, &map, p->err);
	if (status == NC3Z_OK)
		status = block_writer_finish(&p->blocks, p->err);
	/* Tiles may have been read again. */
	if (status == NC3Z_OK)
		status = source_check_unchanged(p->in, p->err);
	if (status == NC3Z_OK)
		status = fill_catalogue(p, &map);
	plan_map_release(&map);
	NC3Z_TRY(status);
	return write_end(p);
}

static void summarize(const struct packer *p, struct nc3z_summary *s)
{
	*s = (struct nc3z_summary){
		.original_nbytes = p->catalogue.original_nbytes,
		.archive_nbytes = p->out->position,
		.nblocks = p->archive.index.nblocks,
		.nstreams = p->shape.plan.nstreams,
		.format_major = FORMAT_MAJOR,
		.format_minor = FORMAT_MINOR,
	};
	memcpy(s->sha256, p->catalogue.sha256, SHA256_NBYTES);
}

static void release(struct packer *p)
{
	sorter_release(&p->sorter);
	small_streams_release(&p->small);
	block_writer_release(&p->blocks);
	archive_writer_release(&p->archive);
	catalogue_release(&p->catalogue);
	hasher_free(p->hasher);
	buffer_release(&p->plan_bytes);
	pack_shape_release(&p->shape);
	classic_header_release(&p->header);
	buffer_release(&p->head);
}

void nc3z_pack_options_init_sized(struct nc3z_pack_options *options,
				  size_t options_nbytes)
{
	const struct nc3z_pack_options defaults = {
		.level = NC3Z_LEVEL_DEFAULT,
		.codec = NC3Z_CODEC_ZSTD,
		.max_memory_nbytes = NC3Z_MAX_MEMORY_DEFAULT,
	};

	options_init(options, options_nbytes, &defaults, sizeof(defaults));
}

static int check_options(const struct nc3z_pack_options *o,
			 struct nc3z_error *err)
{
	if (o->level < 0 || o->level > NC3Z_LEVEL_MAX)
		return error_set(err, NC3Z_EINVAL,
				 "level %d is not within 0 and %d", o->level,
				 NC3Z_LEVEL_MAX);
	NC3Z_TRY(threads_check(o->nthreads, err));
	if (o->codec < 0 || o->codec >= CODEC_COUNT)
		return error_set(err, NC3Z_EINVAL, "unknown codec %d",
				 o->codec);
	if (o->block_nbytes != 0 && (o->block_nbytes < NC3Z_BLOCK_NBYTES_MIN ||
				     o->block_nbytes > NC3Z_BLOCK_NBYTES_MAX))
		return error_set(err, NC3Z_EINVAL,
				 "block size %" PRIu32 " is not within %" PRIu32
				 " and %" PRIu32,
				 o->block_nbytes, NC3Z_BLOCK_NBYTES_MIN,
				 NC3Z_BLOCK_NBYTES_MAX);
	return NC3Z_OK;
}

int pack_options_copy(struct nc3z_pack_options *own,
		      const struct nc3z_pack_options *options,
		      struct nc3z_error *err)
{
	nc3z_pack_options_init(own);
	NC3Z_TRY(options_copy(own, sizeof(*own), options, err));
	return check_options(own, err);
}

int pack_from(const struct pack_input *input, struct nc3z_sink *out,
	      const struct nc3z_pack_options *options,
	      struct nc3z_summary *summary_ret, struct nc3z_error *err)
{
	struct nc3z_pack_options own;
	struct packer p = {
		.input = input,
		.in = input->source,
		.out = out,
		.err = err,
	};
	int status;

	NC3Z_TRY(pack_options_copy(&own, options, err));
	p.options = &own;
	p.nthreads = threads_wanted(own.nthreads);
	status = pack_header_read(p.in, &p.head, &p.header, err);
	if (status == NC3Z_OK)
		status = make_plan(&p);
	if (status == NC3Z_OK)
		status = begin_archive(&p);
	if (status == NC3Z_OK)
		status = put_file(&p);
	if (status == NC3Z_OK)
		status = end_archive(&p);
	if (status == NC3Z_OK && summary_ret)
		summarize(&p, summary_ret);
	release(&p);
	return status;
}

int nc3z_pack(struct nc3z_source *in, struct nc3z_sink *out,
	      const struct nc3z_pack_options *options,
	      struct nc3z_summary *summary_ret, struct nc3z_error *err)
{
	const struct pack_input input = { .source = in };

	return pack_from(&input, out, options, summary_ret, err);
}
