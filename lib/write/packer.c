/* SPDX-License-Identifier: MIT */
/*
 * Packing a classic file, in one pass:
 *
 *   read the header -> plan -> superblock and plan record
 *   read on, byte after byte: SHA-256, and into the blocks of their streams;
 *   blocks that are full are encoded and appended
 *   index, copies of header and small streams, catalogue, trailer
 */
#include <stdlib.h>
#include <string.h>

#include "base/sizes.h"
#include "io/sink.h"
#include "parallel/hasher.h"
#include "parallel/threads.h"
#include "write/block_writer.h"
#include "write/older.h"
#include "write/packer.h"
#include "write/pack_end.h"
#include "write/small_streams.h"
#include "write/sorter.h"

struct packer {
	const struct pack_input *input;
	struct nc3z_source *in; /* of it */
	struct nc3z_sink *out;
	const struct pack_settings *settings;
	struct pack_head *head; /* the caller's */
	struct archive_writer archive;
	struct block_writer blocks;
	struct sorter sorter;
	struct small_streams small;
	struct older older;
	struct hasher *hasher;
	struct nc3z_summary *summary; /* NULL: not wanted */
	unsigned nthreads;
	struct nc3z_error *err;
};

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
	const struct packer *p = context;

	return source_read_again(p->in, offset, data, nbytes, err);
}

static int fill_chunks(void *context, const struct plan_map *map,
		       uint32_t stream, const struct open_block *chunks,
		       size_t nchunks, struct nc3z_error *err)
{
	const struct packer *p = context;

	return p->input->fill(p->input->context, map, stream, chunks, nchunks,
			      err);
}

static int open_older(struct packer *p)
{
	const struct nc3z_pack_options *options = &p->settings->options;

	NC3Z_TRY(older_open(&p->older, options->older, p->err));
	if (!options->older_is_kept)
		return NC3Z_OK;
	if (p->in->size == SOURCE_SIZE_UNKNOWN)
		return error_set(p->err, NC3Z_EOLDER,
				 "the size of the file is not known");
	return older_keep(&p->older, &p->head->shape.plan, p->in->size, p->err);
}

static int begin_archive(struct packer *p)
{
	struct block_writer_setup setup =
		pack_head_setup(p->head, p->settings, &p->archive);
	const struct sorter_setup sorting = {
		.plan = &p->head->shape.plan,
		.max_nbytes = p->input->fill ?
				      p->input->chunks_nbytes :
				      p->settings->options.max_memory_nbytes,
		.take = take_block,
		.read = p->in->can_seek ? read_again : NULL,
		.fill = p->input->fill ? fill_chunks : NULL,
		.context = p,
	};

	if (p->settings->options.older) {
		setup.older = &p->older;
		NC3Z_TRY(open_older(p));
	}
	NC3Z_TRY(sorter_init(&p->sorter, &sorting, p->err));
	NC3Z_TRY(hasher_new(p->nthreads > 1, &p->hasher, p->err));
	NC3Z_TRY(archive_writer_begin(&p->archive, p->out, &p->head->plan,
				      p->head->shape.plan.nstreams, p->err));
	NC3Z_TRY(small_streams_init(&p->small, &p->head->shape.plan,
				    p->in->size, p->err));
	return block_writer_init(&p->blocks, &setup, p->err);
}

/*
 * The next bytes of the file into a buffer of the hasher: what was read with
 * the header first.
 */
static int read_next(struct packer *p, uint8_t *data, size_t *nbytes_ret)
{
	uint64_t at = p->sorter.position;

	if (at >= p->head->bytes.nbytes)
		return source_read_at(p->in, at, data, HASHER_BUFFER_NBYTES,
				      nbytes_ret, p->err);
	*nbytes_ret = (size_t)size_min(HASHER_BUFFER_NBYTES,
				       p->head->bytes.nbytes - at);
	memcpy(data, p->head->bytes.data + at, *nbytes_ret);
	return NC3Z_OK;
}

static int put_file(struct packer *p)
{
	const struct nc3z_pack_options *options = &p->settings->options;
	size_t nbytes;

	do {
		uint8_t *data = hasher_buffer(p->hasher);

		NC3Z_TRY(read_next(p, data, &nbytes));
		NC3Z_TRY(hasher_put(p->hasher, nbytes, p->err));
		NC3Z_TRY(sorter_put(&p->sorter, data, nbytes, p->err));
		if (options->progress)
			options->progress(options->context, p->sorter.position,
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
	pack_warn_of_size(p->head, &p->settings->options, p->in, size);
	return NC3Z_OK;
}

static int write_end(struct packer *p, const struct plan_map *map)
{
	struct pack_end end = {
		.archive = &p->archive,
		.head = p->head,
		.map = map,
		.small = &p->small,
		.settings = p->blocks.settings,
	};

	NC3Z_TRY(hasher_end(p->hasher, end.sha256, p->err));
	NC3Z_TRY(pack_end_write(&end, p->summary, p->err));
	if (p->summary)
		p->summary->ncopied = p->blocks.ncopied;
	return NC3Z_OK;
}

static int end_archive(struct packer *p)
{
	struct plan_map map;
	int status;

	NC3Z_TRY(check_size(p));
	NC3Z_TRY(plan_map_init(&map, &p->head->shape.plan, p->sorter.position,
			       p->err));
	status = sorter_end(&p->sorter, &map, p->err);
	if (status == NC3Z_OK)
		status = block_writer_finish(&p->blocks, p->err);
	/* Chunks may have been read again. */
	if (status == NC3Z_OK)
		status = source_check_unchanged(p->in, p->err);
	if (status == NC3Z_OK)
		status = write_end(p, &map);
	plan_map_release(&map);
	return status;
}

static void packer_release(struct packer *p)
{
	sorter_release(&p->sorter);
	small_streams_release(&p->small);
	block_writer_release(&p->blocks);
	older_release(&p->older);
	archive_writer_release(&p->archive);
	hasher_free(p->hasher);
}

int pack_from(const struct pack_input *input, struct pack_head *head,
	      struct nc3z_sink *out, const struct pack_settings *settings,
	      struct nc3z_summary *summary_ret, struct nc3z_error *err)
{
	struct packer p = {
		.input = input,
		.in = input->source,
		.out = out,
		.settings = settings,
		.head = head,
		.summary = summary_ret,
		.nthreads = threads_wanted(settings->options.nthreads),
		.err = err,
	};
	int status = pack_head_plan(head, settings, err);

	if (status == NC3Z_OK)
		status = begin_archive(&p);
	if (status == NC3Z_OK)
		status = put_file(&p);
	if (status == NC3Z_OK)
		status = end_archive(&p);
	packer_release(&p);
	return status;
}

static int append_nothing(struct nc3z_sink *sink, const void *data,
			  size_t nbytes, struct nc3z_error *err)
{
	(void)sink;
	(void)data;
	(void)nbytes;
	(void)err;
	return NC3Z_OK;
}

static const struct sink_ops nothing_ops = { .append = append_nothing };

int pack_into_nothing(struct nc3z_source *in, struct pack_head *head,
		      const struct pack_settings *settings,
		      struct nc3z_summary *summary_ret, struct nc3z_error *err)
{
	struct pack_settings quiet = *settings;
	const struct pack_input input = { .source = in };
	struct nc3z_sink nothing = { .ops = &nothing_ops };

	quiet.options.warn = NULL;
	quiet.options.progress = NULL;
	quiet.options.older = NULL;
	return pack_from(&input, head, &nothing, &quiet, summary_ret, err);
}
