/* SPDX-License-Identifier: MIT */
/*
 * An archive into another one: the original, read in order with a planned
 * number of decodings (stripe_plan.h), goes through the packer as a file would.
 * So the result is what packing the original gives, to the byte, and the
 * packer's SHA-256 must be the one that the archive carries.
 *
 * Chunks that are written take what they need of the budget, as when a file is
 * packed; those that are read get the rest, but at least an extra eighth of it,
 * since the chunk lengths that nc3z chooses may use up any budget.
 *
 * Where chunks that are written need more than all of it, some are put off, as
 * when a file is packed, and then filled from the blocks that they touch
 * (filler.h).  Those that are read get what they need, up to half of it, and a
 * block that is read for this is counted, too.
 */
#include <inttypes.h>
#include <string.h>

#include "base/sizes.h"
#include "convert/filler.h"
#include "restore/stripe_plan.h"
#include "restore/stripe_reader.h"
#include "convert/target.h"
#include "io/source.h"
#include "parallel/threads.h"
#include "write/packer.h"
#include "nc3z_tools.h"

#define SOURCE_SHARE 8

/* Linear blocks decoded at a time, unless they are so large that it is one. */
#define AHEAD_NBYTES (UINT32_C(4) << 20)

struct converter {
	struct nc3z_file *file;
	struct convert_target target;
	struct stripe_plan stripes;
	bool puts_off;
	uint64_t block_nbytes; /* the largest that is read for chunks put off */
	uint64_t chunks_nbytes; /* memory that is left for chunks then */
	uint64_t ndecodings;    /* that were needed */
	struct nc3z_error *err;
};

static int check_superblock(struct nc3z_source *in, struct nc3z_error *err)
{
	NC3Z_TRY(source_check_can_seek(in, err));
	return superblock_read(in, err);
}

/* Not even one chunk can be written, or one block read for it. */
static int refuse_memory(const struct converter *c, uint64_t nbytes)
{
	return error_set(c->err, NC3Z_ELIMIT,
			 "rechunking needs at least %" PRIu64
			 " bytes of memory, more than %" PRIu64,
			 nbytes, c->target.settings.options.max_memory_nbytes);
}

/* How much memory the stripes may take; the chunks get the rest. */
static int share_memory(struct converter *c, uint64_t *share_ret)
{
	const struct chunks_memory *chunks = &c->target.chunks;
	uint64_t max_nbytes = c->target.settings.options.max_memory_nbytes,
		 least;

	if (chunks->nbytes <= max_nbytes) {
		*share_ret = size_max(max_nbytes - chunks->nbytes,
				      max_nbytes / SOURCE_SHARE);
		return NC3Z_OK;
	}
	c->puts_off = true;
	c->block_nbytes = plan_map_largest_block(&c->file->map);
	least = size_add_max(chunks->places_nbytes,
			     chunks->largest_nbytes + c->block_nbytes,
			     UINT64_MAX);
	if (least > max_nbytes)
		return refuse_memory(c, least);
	*share_ret = size_min(max_nbytes / 2, max_nbytes - least);
	return NC3Z_OK;
}

static int converter_begin(struct converter *c, struct nc3z_source *in,
			   const struct nc3z_pack_options *options)
{
	const struct nc3z_pack_options *o = &c->target.settings.options;
	struct nc3z_open_options how;
	uint64_t share = 0, ahead;

	nc3z_open_options_init(&how);
	how.nthreads = 1;
	how.cache_nbytes = 0;
	NC3Z_TRY(check_superblock(in, c->err));
	NC3Z_TRY(nc3z_open_source(in, &how, &c->file, c->err));
	NC3Z_TRY(target_init(&c->target, c->file, options, c->err));
	NC3Z_TRY(share_memory(c, &share));
	ahead = threads_wanted(o->nthreads) > 1 ? AHEAD_NBYTES : 0;
	NC3Z_TRY(stripe_plan_init(&c->stripes, &c->file->map, share, ahead,
				  c->err));
	/*
	 * Stripes that are as small as can be may take more than their share.
	 */
	c->chunks_nbytes = o->max_memory_nbytes - c->block_nbytes -
			   size_min(c->stripes.nbytes, share);
	return NC3Z_OK;
}

/* The input stays the caller's. */
static void converter_release(struct converter *c)
{
	stripe_plan_release(&c->stripes);
	target_release(&c->target);
	if (c->file)
		file_disown_source(c->file);
	nc3z_close(c->file);
}

/* Goes through the chunks that are put off, without a byte of them. */
static int rehearse(const struct converter *c, struct decodings *decodings,
		    uint64_t *chunks_nbytes_ret)
{
	struct filler filler;
	struct sorter sorter = { 0 };
	const struct sorter_setup setup = {
		.plan = &c->target.plan,
		.max_nbytes = c->chunks_nbytes,
		.fill = filler_count,
		.context = &filler,
	};
	int status = filler_init(&filler, c->file, 1, c->err);

	filler.decodings = decodings;
	if (status == NC3Z_OK)
		status = sorter_init(&sorter, &setup, c->err);
	if (status == NC3Z_OK)
		status = sorter_rehearse(&sorter, c->file->map.original_nbytes,
					 c->err);
	*chunks_nbytes_ret =
		sorter.most_nbytes + c->target.chunks.places_nbytes;
	sorter_release(&sorter);
	filler_release(&filler);
	return status;
}

static int count_decodings(const struct converter *c,
			   struct decodings *decodings,
			   struct nc3z_conversion *conversion)
{
	uint64_t chunks_nbytes = c->target.chunks.nbytes;

	stripe_plan_count(&c->stripes, decodings);
	if (c->puts_off)
		NC3Z_TRY(rehearse(c, decodings, &chunks_nbytes));
	*conversion = (struct nc3z_conversion){
		.original_nbytes = c->file->map.original_nbytes,
		.nblocks = decodings->nblocks,
		.nblocks_written = c->target.nblocks,
		.memory_nbytes =
			c->stripes.nbytes + c->block_nbytes + chunks_nbytes,
		.once_nbytes = size_add_max(c->stripes.bands_nbytes,
					    c->target.chunks.nbytes,
					    UINT64_MAX),
	};
	conversion->ndecodings =
		decodings_sum(decodings, &conversion->most_decodings);
	return NC3Z_OK;
}

static int describe_conversion(const struct converter *c,
			       struct nc3z_conversion *conversion)
{
	struct decodings decodings;
	int status = decodings_init(&decodings, &c->file->map, c->err);

	if (status == NC3Z_OK)
		status = count_decodings(c, &decodings, conversion);
	decodings_release(&decodings);
	return status;
}

static int check_sha256(const struct converter *c,
			const struct nc3z_summary *written)
{
	const struct archive_catalogue *read = &c->file->archive.catalogue;

	if (memcmp(written->sha256, read->sha256, sizeof(read->sha256)) != 0)
		return error_set(c->err, NC3Z_EDAMAGED,
				 "SHA-256 of the original differs");
	return NC3Z_OK;
}

/* The original to the packer, read by 'original' and by 'filler'. */
static int pack(struct converter *c, struct nc3z_source *original,
		struct filler *filler, struct nc3z_sink *out,
		struct nc3z_summary *summary)
{
	const struct pack_input input = {
		.source = original,
		.fill = c->puts_off ? filler_fill : NULL,
		.context = filler,
		.chunks_nbytes = c->chunks_nbytes,
	};
	struct pack_head head = { 0 };
	int status = pack_head_read(&head, original, c->err);

	if (status == NC3Z_OK)
		status = pack_from(&input, &head, out, &c->target.settings,
				   summary, c->err);
	pack_head_release(&head);
	/* Only a classic file is ever packed. */
	if (status == NC3Z_ENOTCLASSIC)
		return error_set(c->err, NC3Z_EDAMAGED,
				 "original has no classic header");
	return status;
}

/* In a worker. */
static int fetch(void *context, const struct stripe_block *block, uint8_t *raw,
		 struct nc3z_error *err)
{
	return fetch_block(context, block->stream, &block->block, raw, err);
}

static int convert(struct converter *c, struct nc3z_sink *out,
		   struct nc3z_summary *summary)
{
	unsigned nthreads = block_decoding_threads(
		threads_wanted(c->target.settings.options.nthreads),
		plan_map_largest_block(&c->file->map));
	const struct stripe_input input = {
		.plan = &c->stripes,
		.fetch = fetch,
		.context = c->file,
		.nthreads = nthreads,
		.archive = c->file->source,
	};
	struct nc3z_cache_stats before, after;
	struct nc3z_source *original;
	struct filler filler = { 0 };
	int status = NC3Z_OK;

	NC3Z_TRY(stripe_reader_open(&input, &original, c->err));
	nc3z_inq_cache(c->file, &before);
	if (c->puts_off)
		status = filler_init(&filler, c->file, nthreads, c->err);
	if (status == NC3Z_OK)
		status = pack(c, original, &filler, out, summary);
	nc3z_inq_cache(c->file, &after);
	c->ndecodings = after.nblocks_decoded - before.nblocks_decoded;
	filler_release(&filler);
	nc3z_source_close(original);
	return status == NC3Z_OK ? check_sha256(c, summary) : status;
}

int nc3z_plan_conversion(struct nc3z_source *in,
			 const struct nc3z_pack_options *options,
			 struct nc3z_conversion *conversion_ret,
			 struct nc3z_error *err)
{
	struct converter c = { .err = err };
	int status = converter_begin(&c, in, options);

	if (status == NC3Z_OK)
		status = describe_conversion(&c, conversion_ret);
	converter_release(&c);
	return status;
}

int nc3z_convert(struct nc3z_source *in, struct nc3z_sink *out,
		 const struct nc3z_pack_options *options,
		 struct nc3z_conversion *conversion_ret,
		 struct nc3z_summary *summary_ret, struct nc3z_error *err)
{
	NC3Z_NEED(err, in && out);

	struct converter c = { .err = err };
	struct nc3z_conversion conversion;
	struct nc3z_summary summary;
	int status = converter_begin(&c, in, options);

	if (status == NC3Z_OK && conversion_ret)
		status = describe_conversion(&c, &conversion);
	if (status == NC3Z_OK)
		status = convert(&c, out, &summary);
	if (status == NC3Z_OK && conversion_ret) {
		conversion.ndecodings = c.ndecodings;
		*conversion_ret = conversion;
	}
	if (status == NC3Z_OK && summary_ret)
		*summary_ret = summary;
	converter_release(&c);
	return status;
}
