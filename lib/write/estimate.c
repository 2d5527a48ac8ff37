/* SPDX-License-Identifier: MIT */
/*
 * What packing would come to, from a part of the blocks.
 *
 * A small file is packed, into nothing.  Of a larger one some groups of blocks
 * are encoded, spread evenly over each stream, with the filters that packing
 * would have cached there (recipe_cache.h), but for what it may have found out
 * between two groups.  The rest of the archive is known well enough from its
 * sizes.
 */
#include <stdlib.h>
#include <time.h>

#include "archive/archive.h"
#include "base/checksum.h"
#include "base/sizes.h"
#include "choose/choose.h"
#include "io/sink.h"
#include "write/block_length.h"
#include "write/hint.h"
#include "write/packer.h"
#include "write/recipe_cache.h"
#include "write/refill.h"
#include "nc3z_tools.h"

/* A file up to so many bytes is packed. */
#define SMALL_NBYTES (UINT64_C(1) << 20)

/* Of larger ones so many bytes are encoded, and one in so many of the rest. */
#define SAMPLE_NBYTES (UINT64_C(2) << 20)
#define SAMPLE_SHARE 32

#define GROUP_NBLOCKS RECIPE_CHECK

struct estimator {
	struct nc3z_source *in;
	struct pack_settings settings;
	struct pack_head head;
	struct plan_map map;
	struct refill refill;
	struct chooser chooser;
	struct block_stored stored;
	struct buffer record;
	struct sha256 *sha256; /* for the time it takes */
	double share;          /* of each stream that is encoded */
	struct nc3z_estimate estimate;
	struct nc3z_error *err;
};

/* What a stream has come to so far. */
struct tally {
	uint64_t raw_nbytes;
	uint64_t stored_nbytes;
	double search_seconds; /* of blocks that were searched */
	uint64_t search_nbytes;
	double seconds; /* of the others */
	uint64_t nbytes;
};

static double processor_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static int pack_all(struct estimator *e)
{
	struct nc3z_summary summary;
	double begin = processor_seconds();

	NC3Z_TRY(pack_head_read(&e->head, e->in, e->err));
	NC3Z_TRY(block_length_choose(e->in, &e->head, &e->settings, e->err));
	NC3Z_TRY(pack_into_nothing(e->in, &e->head, &e->settings, &summary,
				   e->err));
	e->estimate = (struct nc3z_estimate){
		.original_nbytes = summary.original_nbytes,
		.archive_nbytes = summary.archive_nbytes,
		.nblocks = summary.nblocks,
		.nblocks_encoded = summary.nblocks,
		.seconds = processor_seconds() - begin,
	};
	return NC3Z_OK;
}

/* From a part. */

static int read_at(void *context, uint64_t offset, uint8_t *data, size_t nbytes,
		   struct nc3z_error *err)
{
	const struct estimator *e = context;

	return source_read_again(e->in, offset, data, nbytes, err);
}

static int fill_block(struct estimator *e, uint32_t stream, uint64_t block,
		      uint8_t *raw, uint32_t nbytes)
{
	struct plan_block_runs runs;

	plan_block_runs_begin(&e->map, stream, block, &runs);
	NC3Z_TRY(refill_add(&e->refill, &runs, raw, nbytes, e->err));
	return refill_run(&e->refill, e->err);
}

/* Adds what the archive keeps of a block. */
static int count_record(struct estimator *e, const struct choose_input *input,
			struct tally *tally)
{
	static const uint8_t identity[FORMAT_IDENTITY_NBYTES];
	const struct archive_block block = {
		.raw_nbytes = (uint32_t)input->raw_nbytes,
		.description = e->stored.description.data,
		.description_nbytes = e->stored.description.nbytes,
		.payload = e->stored.payload.data,
		.payload_nbytes = e->stored.payload.nbytes,
	};

	NC3Z_TRY(block_record_write(&block, identity, 0, &e->record, e->err));
	tally->raw_nbytes += input->raw_nbytes;
	tally->stored_nbytes += e->record.nbytes + e->stored.payload.nbytes;
	e->estimate.nblocks_encoded++;
	return NC3Z_OK;
}

/* Searches the recipe of a block, encodes it and keeps what was found. */
static int search_block(struct estimator *e, const struct choose_input *input,
			struct cached_recipe_contents *known)
{
	const struct choose_settings settings = {
		.effort = e->settings.effort,
		.codec = (uint8_t)e->settings.options.codec,
	};
	struct choose_result choice = { .stored = &e->stored,
					.nbytes = SIZE_MAX };
	struct choose_recipes recipes;

	NC3Z_TRY(choose_recipes(&e->chooser, &settings, input, &recipes,
				e->err));
	NC3Z_TRY(
		choose_smallest(&e->chooser, input, &recipes, &choice, e->err));
	*known = (struct cached_recipe_contents){
		.is_empty = recipes.is_constant,
		.recipe = choice.recipe,
		.raw_nbytes = (uint32_t)input->raw_nbytes,
		.stored_nbytes = (uint32_t)choice.nbytes,
	};
	return NC3Z_OK;
}

/* Encodes a block with what is known; false if it is searched after all. */
static int encode_known(struct estimator *e, const struct choose_input *input,
			bool is_checked,
			const struct cached_recipe_contents *known,
			bool *is_enough_ret)
{
	struct choose_result choice = { .stored = &e->stored,
					.nbytes = SIZE_MAX };
	struct choose_recipes recipes = { .count = 1 };

	*is_enough_ret = !known->is_empty && known->raw_nbytes > 0;
	if (!*is_enough_ret)
		return NC3Z_OK;
	recipes.list[0] = known->recipe;
	NC3Z_TRY(
		choose_smallest(&e->chooser, input, &recipes, &choice, e->err));
	*is_enough_ret = !is_checked ||
			 !cached_recipe_is_much_worse(known, input->raw_nbytes,
						      choice.nbytes);
	return NC3Z_OK;
}

static int encode(struct estimator *e, const struct choose_input *input,
		  uint64_t number, struct cached_recipe_contents *known,
		  struct tally *tally)
{
	double begin = processor_seconds(), seconds;
	bool is_enough = false;

	if (number % RECIPE_EPOCH != 0)
		NC3Z_TRY(encode_known(e, input, number % RECIPE_CHECK == 0,
				      known, &is_enough));
	if (!is_enough)
		NC3Z_TRY(search_block(e, input, known));
	NC3Z_TRY(sha256_update(e->sha256, input->raw, input->raw_nbytes,
			       e->err));
	seconds = processor_seconds() - begin;
	tally->search_seconds += is_enough ? 0 : seconds;
	tally->search_nbytes += is_enough ? 0 : input->raw_nbytes;
	tally->seconds += is_enough ? seconds : 0;
	tally->nbytes += is_enough ? input->raw_nbytes : 0;
	return count_record(e, input, tally);
}

static int encode_block(struct estimator *e, uint32_t stream, uint64_t number,
			struct cached_recipe_contents *known,
			struct tally *tally)
{
	const struct plan_stream *s = &e->head.shape.plan.streams[stream];
	const struct plan_hint hint = plan_hint_of_block(
		s, &e->head.shape.hints[stream], (uint32_t)number);
	uint32_t nbytes =
		(uint32_t)plan_block_numbered(&e->map, stream, number).nbytes;
	uint8_t *raw = malloc((size_t)nbytes + 1);
	const struct choose_input input = {
		.hint = hint_for_choosing(&hint),
		.raw = raw,
		.raw_nbytes = nbytes,
	};
	int status;

	if (!raw)
		return error_set_memory(e->err);
	status = nbytes > 0 ? fill_block(e, stream, number, raw, nbytes) :
			      NC3Z_OK;
	if (status == NC3Z_OK && nbytes > 0)
		status = encode(e, &input, number, known, tally);
	free(raw);
	return status;
}

/* Time of the rest of a stream: few of its blocks will be searched. */
static double scale_seconds(const struct tally *t, uint64_t nbytes)
{
	double search = t->search_nbytes > 0 ?
				t->search_seconds / (double)t->search_nbytes :
				0;
	double other = t->nbytes > 0 ? t->seconds / (double)t->nbytes : search;

	return (double)nbytes * (search / RECIPE_EPOCH +
				 other * (RECIPE_EPOCH - 1) / RECIPE_EPOCH);
}

/* One of 'wanted' groups, in the middle of equal shares of the stream. */
static int estimate_group(struct estimator *e, uint32_t stream, uint64_t first,
			  struct cached_recipe_contents *known, uint64_t *epoch,
			  struct tally *tally)
{
	uint64_t nblocks = e->map.extents[stream].nblocks;
	struct tally aside = { 0 };

	/* What packing knows here it has found in the first block. */
	if (first / RECIPE_EPOCH != *epoch && first % RECIPE_EPOCH != 0)
		NC3Z_TRY(encode_block(e, stream,
				      first / RECIPE_EPOCH * RECIPE_EPOCH,
				      known, &aside));
	*epoch = first / RECIPE_EPOCH;
	for (uint64_t b = first; b < first + GROUP_NBLOCKS && b < nblocks; b++)
		NC3Z_TRY(encode_block(e, stream, b, known, tally));
	return NC3Z_OK;
}

static int estimate_stream(struct estimator *e, uint32_t stream)
{
	const struct plan_extent *extent = &e->map.extents[stream];
	uint64_t ngroups =
		(extent->nblocks + GROUP_NBLOCKS - 1) / GROUP_NBLOCKS;
	uint64_t wanted = (uint64_t)((double)ngroups * e->share) + 2;
	struct cached_recipe_contents known = { 0 };
	uint64_t epoch = UINT64_MAX;
	struct tally tally = { 0 };

	wanted = size_min(wanted, ngroups);
	for (uint64_t i = 0; i < wanted; i++)
		NC3Z_TRY(estimate_group(e, stream,
					(2 * i + 1) * ngroups / (2 * wanted) *
						GROUP_NBLOCKS,
					&known, &epoch, &tally));
	if (tally.raw_nbytes == 0)
		return NC3Z_OK;
	e->estimate.nblocks += extent->nblocks;
	e->estimate.archive_nbytes +=
		(uint64_t)((double)tally.stored_nbytes *
			   (double)extent->nbytes / (double)tally.raw_nbytes);
	e->estimate.seconds += scale_seconds(&tally, extent->nbytes);
	return NC3Z_OK;
}

/* What is around the blocks, in copies of the header a little less. */
static int count_frame(struct estimator *e)
{
	const struct buffer *plan = &e->head.plan;
	struct buffer section = { 0 };
	int status = section_write(FORMAT_MARK_PLAN, NC3Z_CODEC_DEFLATE,
				   plan->data, plan->nbytes, &section, e->err);

	e->estimate.archive_nbytes += 2 * section.nbytes + 512 +
				      e->head.header.nbytes / 4 +
				      20 * e->estimate.nblocks;
	buffer_release(&section);
	return status;
}

static int estimate_parts(struct estimator *e)
{
	uint64_t size = e->in->size;
	double begin = processor_seconds();

	NC3Z_TRY(pack_head_read(&e->head, e->in, e->err));
	NC3Z_TRY(block_length_choose(e->in, &e->head, &e->settings, e->err));
	e->estimate.seconds = processor_seconds() - begin;
	/* Without warnings: these are for packing. */
	e->settings.options.warn = NULL;
	NC3Z_TRY(pack_head_plan(&e->head, &e->settings, e->err));
	NC3Z_TRY(plan_map_init(&e->map, &e->head.shape.plan, size, e->err));
	e->sha256 = sha256_new();
	if (!e->sha256)
		return error_set_memory(e->err);
	e->refill.read = read_at;
	e->refill.context = e;
	e->share = (double)SAMPLE_NBYTES / (double)size + 1.0 / SAMPLE_SHARE;
	e->estimate.original_nbytes = size;
	for (uint32_t i = 0; i < e->head.shape.plan.nstreams; i++)
		NC3Z_TRY(estimate_stream(e, i));
	return count_frame(e);
}

static void release(struct estimator *e)
{
	refill_release(&e->refill);
	chooser_release(&e->chooser);
	block_stored_release(&e->stored);
	buffer_release(&e->record);
	sha256_free(e->sha256);
	plan_map_release(&e->map);
	pack_head_release(&e->head);
}

int nc3z_estimate(struct nc3z_source *in,
		  const struct nc3z_pack_options *options,
		  struct nc3z_estimate *estimate_ret, struct nc3z_error *err)
{
	struct estimator e = { .in = in, .err = err };
	int status;

	NC3Z_TRY(pack_settings_init(&e.settings, options, err));
	/* One thread, so that its time is all there is. */
	e.settings.options.nthreads = 1;
	status = !in->can_seek || in->size == SOURCE_SIZE_UNKNOWN ||
				 in->size <= SMALL_NBYTES ?
			 pack_all(&e) :
			 estimate_parts(&e);
	if (status == NC3Z_OK)
		*estimate_ret = e.estimate;
	release(&e);
	return status;
}
