/*
 * An archive into another one: the original, read in order with a planned
 * number of decodings (slab_plan.h), goes through the packer as a file would.
 * So the result is what packing the original gives, to the byte, and the
 * packer's SHA-256 must be the one that the archive carries.
 *
 * Tiles that are written take what they need of the budget, as when a file is
 * packed; those that are read get what is left, and at least an eighth of it
 * besides, since lengths that are chosen may use it up whatever it is.
 */
#include <string.h>

#include "base/sizes.h"
#include "convert/slab_plan.h"
#include "convert/slab_reader.h"
#include "convert/target.h"
#include "io/source.h"
#include "parallel/threads.h"

#define SOURCE_SHARE 8

/* Linear blocks decoded at a time, unless they are so large that it is one. */
#define AHEAD_NBYTES (UINT32_C(4) << 20)

struct converter {
	struct nc3z_file *file;
	struct target target;
	struct slab_plan slabs;
	uint64_t ndecodings; /* that were needed */
	struct nc3z_error *err;
};

static int check_magic(struct nc3z_source *in, struct nc3z_error *err)
{
	uint8_t magic[FORMAT_MAGIC_NBYTES];
	size_t got;

	if (!in->can_seek)
		return error_set(err, NC3Z_EINVAL, "input cannot seek");
	NC3Z_TRY(source_read_at(in, 0, magic, sizeof(magic), &got, err));
	if (got != sizeof(magic) ||
	    memcmp(magic, FORMAT_MAGIC, sizeof(magic)) != 0)
		return error_set(err, NC3Z_ENOTARCHIVE, "not an nc3z archive");
	return NC3Z_OK;
}

static int begin(struct converter *c, struct nc3z_source *in,
		 const struct nc3z_pack_options *options)
{
	const struct nc3z_pack_options *o = &c->target.options;
	struct nc3z_open_options how;
	uint64_t share, ahead;

	nc3z_open_options_init(&how);
	how.nthreads = 1;
	how.cache_nbytes = 0;
	NC3Z_TRY(check_magic(in, c->err));
	NC3Z_TRY(nc3z_open_source(in, &how, &c->file, c->err));
	NC3Z_TRY(target_init(&c->target, c->file, options, c->err));
	share = size_max(o->max_memory_nbytes - c->target.nbytes,
			 o->max_memory_nbytes / SOURCE_SHARE);
	ahead = threads_wanted(o->nthreads) > 1 ? AHEAD_NBYTES : 0;
	return slab_plan_init(&c->slabs, &c->file->map, share, ahead, c->err);
}

/* The input stays the caller's. */
static void release(struct converter *c)
{
	slab_plan_release(&c->slabs);
	target_release(&c->target);
	if (c->file)
		c->file->source = NULL;
	nc3z_close(c->file);
}

static int describe(const struct converter *c,
		    struct nc3z_conversion *conversion)
{
	struct slab_counts counts;

	NC3Z_TRY(slab_plan_count(&c->slabs, &counts, c->err));
	*conversion = (struct nc3z_conversion){
		.original_nbytes = c->file->map.original_nbytes,
		.nblocks = counts.nblocks,
		.ndecodings = counts.ndecodings,
		.most_decodings = counts.most,
		.nblocks_written = c->target.nblocks,
		.memory_nbytes = c->slabs.nbytes + c->target.nbytes,
		.once_nbytes = c->slabs.bands_nbytes + c->target.nbytes,
	};
	return NC3Z_OK;
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

static int convert(struct converter *c, struct nc3z_sink *out,
		   struct nc3z_summary *summary)
{
	unsigned nthreads = threads_wanted(c->target.options.nthreads);
	struct nc3z_cache_stats before, after;
	struct nc3z_source *original;
	int status;

	NC3Z_TRY(slab_reader_open(c->file, &c->slabs, nthreads, &original,
				  c->err));
	nc3z_inq_cache(c->file, &before);
	status = nc3z_pack(original, out, &c->target.options, summary, c->err);
	nc3z_inq_cache(c->file, &after);
	c->ndecodings = after.nblocks_decoded - before.nblocks_decoded;
	nc3z_source_close(original);
	/* Only a classic file is ever packed. */
	if (status == NC3Z_ENOTCLASSIC)
		status = error_set(c->err, NC3Z_EDAMAGED,
				   "original has no classic header");
	return status == NC3Z_OK ? check_sha256(c, summary) : status;
}

int nc3z_plan_conversion(struct nc3z_source *in,
			 const struct nc3z_pack_options *options,
			 struct nc3z_conversion *conversion_ret,
			 struct nc3z_error *err)
{
	struct converter c = { .err = err };
	int status = begin(&c, in, options);

	if (status == NC3Z_OK)
		status = describe(&c, conversion_ret);
	release(&c);
	return status;
}

int nc3z_convert(struct nc3z_source *in, struct nc3z_sink *out,
		 const struct nc3z_pack_options *options,
		 struct nc3z_conversion *conversion_ret,
		 struct nc3z_summary *summary_ret, struct nc3z_error *err)
{
	struct converter c = { .err = err };
	struct nc3z_conversion conversion;
	struct nc3z_summary summary;
	int status = begin(&c, in, options);

	if (status == NC3Z_OK)
		status = describe(&c, &conversion);
	if (status == NC3Z_OK)
		status = convert(&c, out, &summary);
	if (status == NC3Z_OK && conversion_ret) {
		conversion.ndecodings = c.ndecodings;
		*conversion_ret = conversion;
	}
	if (status == NC3Z_OK && summary_ret)
		*summary_ret = summary;
	release(&c);
	return status;
}
