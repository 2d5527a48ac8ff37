/*
 * Restoring in one pass over the archive, so that it works from a pipe to a
 * pipe, and verifying, which is the same without an output.
 *
 * At each offset of the original the plan says which block is needed.  Records
 * are read and their blocks held until that block is there; then its bytes are
 * copied as far as they go.  The size of the original is known only at the end
 * of the archive.  It matters where blocks are short: when the first of these
 * turns up, or the blocks have ended, the rest of the archive is read before
 * going on.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/sizes.h"
#include "parallel/hasher.h"
#include "parallel/threads.h"
#include "read/block_reader.h"
#include "read/restore.h"

struct restorer {
	struct nc3z_sink *out; /* NULL: verify only */
	const struct nc3z_restore_options *options;
	struct archive_scan scan;
	struct plan plan;
	struct plan_map endless;    /* of an original without end */
	struct plan_map actual;     /* once its size is known */
	const struct plan_map *map; /* one of these */
	struct block_reader blocks;
	struct held_blocks held;
	struct hasher *hasher;
	uint8_t *pending; /* restored, not yet written; the hasher's */
	size_t pending_nbytes;
	uint64_t position;   /* in the original */
	uint32_t header_crc; /* of the header, as far as it was restored */
	bool at_end;         /* the archive has been read whole */
	struct archive_catalogue catalogue;
	struct archive_trailer trailer;
	struct buffer header_copy;
	struct nc3z_error *err;
};

/* The most that the blocks of a well-made archive make a reader hold. */
static uint64_t max_held_nbytes(const struct plan *plan)
{
	uint64_t block_nbytes = 0;

	for (uint32_t i = 0; i < plan->nstreams; i++)
		block_nbytes =
			size_max(block_nbytes, plan->streams[i].block_nbytes);
	return 4 * (plan_reach_nbytes(plan) + block_nbytes);
}

static int begin(struct restorer *r, struct nc3z_source *in, unsigned nthreads)
{
	NC3Z_TRY(archive_scan_begin(&r->scan, in, r->err));
	NC3Z_TRY(plan_read(r->scan.plan.data, r->scan.plan.nbytes, &r->plan,
			   r->err));
	NC3Z_TRY(archive_scan_streams(&r->scan, r->plan.nstreams, r->err));
	NC3Z_TRY(plan_map_init(&r->endless, &r->plan, PLAN_OFFSET_END, r->err));
	r->map = &r->endless;
	NC3Z_TRY(held_blocks_init(&r->held, r->plan.nstreams,
				  max_held_nbytes(&r->plan), r->err));
	NC3Z_TRY(block_reader_init(&r->blocks, &r->scan, &r->endless, nthreads,
				   r->err));
	NC3Z_TRY(hasher_new(nthreads > 1, &r->hasher, r->err));
	r->pending = hasher_buffer(r->hasher);
	return NC3Z_OK;
}

/* After the blocks: now the size is known. */
static int read_end(struct restorer *r)
{
	const struct archive_catalogue *c = &r->catalogue;

	NC3Z_TRY(archive_scan_end(&r->scan, &r->catalogue, &r->trailer,
				  &r->header_copy, r->err));
	r->at_end = true;
	if (c->original_nbytes >= PLAN_OFFSET_END)
		return error_set(r->err, NC3Z_EDAMAGED,
				 "impossible size of the original");
	if (c->original_nbytes < r->plan.header_nbytes)
		return error_set(r->err, NC3Z_EDAMAGED,
				 "original is shorter than its header");
	NC3Z_TRY(plan_map_init(&r->actual, &r->plan, c->original_nbytes,
			       r->err));
	r->map = &r->actual;
	for (uint32_t i = 0; i < r->plan.nstreams; i++)
		if (r->map->extents[i].nbytes != c->stream_nbytes[i] ||
		    r->map->extents[i].nblocks !=
			    r->scan.index.streams[i].count)
			return error_set(r->err, NC3Z_EDAMAGED,
					 "stream %" PRIu32
					 " does not have the blocks that the "
					 "plan says",
					 i);
	return NC3Z_OK;
}

/* Takes one more block, or the end. */
static int read_more(struct restorer *r)
{
	struct held_block *block;
	uint32_t stream;

	NC3Z_TRY(block_reader_next(&r->blocks, &stream, &block, r->err));
	return block ? held_blocks_push(&r->held, stream, block, r->err) :
		       read_end(r);
}

static int write_pending(struct restorer *r)
{
	size_t nbytes = r->pending_nbytes;
	uint64_t done = r->position - nbytes;

	if (done < r->plan.header_nbytes)
		r->header_crc = crc32_update(
			r->header_crc, r->pending,
			(size_t)size_min(nbytes, r->plan.header_nbytes - done));
	NC3Z_TRY(hasher_put(r->hasher, nbytes, r->err));
	if (r->out)
		NC3Z_TRY(sink_append(r->out, r->pending, nbytes, r->err));
	if (r->options->progress)
		r->options->progress(r->options->context, r->position,
				     r->scan.offset);
	r->pending = hasher_buffer(r->hasher);
	r->pending_nbytes = 0;
	return NC3Z_OK;
}

/* Copies what the block at this offset has; 'held' is that block. */
static int copy_run(struct restorer *r, const struct plan_run *run,
		    const struct plan_block *block, struct held_block *held)
{
	uint64_t at = run->stream_offset - block->stream_offset;
	uint64_t n = size_min(run->nbytes, block->nbytes - at);

	n = size_min(n, HASHER_BUFFER_NBYTES - r->pending_nbytes);
	memcpy(r->pending + r->pending_nbytes, held->raw + at, (size_t)n);
	r->pending_nbytes += (size_t)n;
	r->position += n;
	held_blocks_use(&r->held, run->stream, held, (uint32_t)n);
	return r->pending_nbytes == HASHER_BUFFER_NBYTES ? write_pending(r) :
							   NC3Z_OK;
}

/* One step forward in the original or in the archive. */
static int step(struct restorer *r)
{
	struct plan_run run = plan_run_at(r->map, r->position);
	struct plan_block block =
		plan_block_at(r->map, run.stream, run.stream_offset);
	struct held_block *held =
		held_blocks_find(&r->held, run.stream, block.block);

	if (held && held->nbytes == block.nbytes)
		return copy_run(r, &run, &block, held);
	if (!r->at_end)
		return read_more(r);
	error_set(r->err, NC3Z_EDAMAGED, "wrong length or order");
	return error_add_block(r->err, NC3Z_EDAMAGED, run.stream,
			       (uint32_t)block.block);
}

static int check_header_copy(const struct restorer *r)
{
	const struct buffer *copy = &r->header_copy;
	bool is_there = format_has_header_copy(r->plan.header_nbytes,
					       r->trailer.index_offset);

	if (copy->nbytes != (is_there ? r->plan.header_nbytes : 0) ||
	    (is_there && crc32_of(copy->data, copy->nbytes) != r->header_crc))
		return error_set(r->err, NC3Z_EDAMAGED,
				 "header copy differs from the header");
	return NC3Z_OK;
}

static int check_end(struct restorer *r)
{
	uint8_t digest[SHA256_NBYTES];

	if (r->position != r->catalogue.original_nbytes)
		return error_set(r->err, NC3Z_EDAMAGED,
				 "blocks hold more than the original");
	NC3Z_TRY(write_pending(r));
	NC3Z_TRY(hasher_end(r->hasher, digest, r->err));
	if (memcmp(digest, r->catalogue.sha256, sizeof(digest)) != 0)
		return error_set(r->err, NC3Z_EDAMAGED,
				 "SHA-256 of the original differs");
	return check_header_copy(r);
}

static void release(struct restorer *r)
{
	block_reader_release(&r->blocks);
	held_blocks_release(&r->held);
	hasher_free(r->hasher);
	archive_scan_release(&r->scan);
	plan_map_release(&r->endless);
	plan_map_release(&r->actual);
	plan_release(&r->plan);
	buffer_release(&r->header_copy);
	catalogue_release(&r->catalogue);
}

static int restore_bytes(struct restorer *r, struct nc3z_source *in,
			 uint64_t nbytes)
{
	NC3Z_TRY(begin(r, in, 1));
	while (r->position < nbytes) {
		if (r->at_end && r->position >= r->map->original_nbytes)
			return error_set(r->err, NC3Z_EDAMAGED,
					 "header is longer than the original");
		NC3Z_TRY(step(r));
	}
	return write_pending(r);
}

int restore_head(struct nc3z_source *in, uint64_t nbytes, struct buffer *head,
		 struct nc3z_error *err)
{
	const struct nc3z_restore_options options = { .nthreads = 1 };
	struct restorer r = { .options = &options, .err = err };
	const void *data;
	size_t data_nbytes;
	int status;

	NC3Z_TRY(nc3z_sink_open_memory(SIZE_MAX, &r.out, err));
	status = restore_bytes(&r, in, nbytes);
	data = nc3z_sink_memory(r.out, &data_nbytes);
	head->nbytes = 0;
	if (status == NC3Z_OK && !buffer_append(head, data, data_nbytes))
		status = error_set_memory(err);
	release(&r);
	nc3z_sink_close(r.out);
	return status;
}

static int restore_all(struct restorer *r, struct nc3z_source *in,
		       unsigned nthreads)
{
	NC3Z_TRY(begin(r, in, nthreads));
	while (!r->at_end || r->position < r->map->original_nbytes)
		NC3Z_TRY(step(r));
	return check_end(r);
}

void nc3z_restore_options_init(struct nc3z_restore_options *options)
{
	*options = (struct nc3z_restore_options){
		.options_nbytes = sizeof(*options),
	};
}

static int check_options(const struct nc3z_restore_options *o,
			 struct nc3z_error *err)
{
	if (o->options_nbytes != sizeof(*o))
		return error_set(err, NC3Z_EINVAL,
				 "options of another version of the library");
	return threads_check(o->nthreads, err);
}

int nc3z_restore(struct nc3z_source *in, struct nc3z_sink *out,
		 const struct nc3z_restore_options *options,
		 struct nc3z_summary *summary_ret, struct nc3z_error *err)
{
	struct restorer r = { .out = out, .options = options, .err = err };
	struct nc3z_restore_options defaults;
	int status;

	nc3z_restore_options_init(&defaults);
	if (!options)
		r.options = &defaults;
	NC3Z_TRY(check_options(r.options, err));
	status = restore_all(&r, in, threads_wanted(r.options->nthreads));
	if (status == NC3Z_OK && summary_ret)
		*summary_ret = archive_summary(&r.trailer, &r.catalogue);
	release(&r);
	return status;
}

int nc3z_verify(struct nc3z_source *in,
		const struct nc3z_restore_options *options,
		struct nc3z_summary *summary_ret, struct nc3z_error *err)
{
	return nc3z_restore(in, NULL, options, summary_ret, err);
}

int nc3z_summarize(struct nc3z_source *in, struct nc3z_summary *summary_ret,
		   struct nc3z_error *err)
{
	struct archive_catalogue catalogue;
	struct archive_trailer trailer;
	struct buffer contents = { 0 };
	int status =
		archive_tail_read(in, &trailer, &catalogue, &contents, err);

	if (status == NC3Z_OK) {
		*summary_ret = archive_summary(&trailer, &catalogue);
		catalogue_release(&catalogue);
	}
	buffer_release(&contents);
	return status;
}
