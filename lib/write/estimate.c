/* SPDX-License-Identifier: MIT */
/*
 * What packing would come to, from a part of the blocks.
 *
 * A small file is packed, into nothing.  Of a larger one blocks are encoded
 * that are spread evenly over all streams, until there are enough of them or
 * the time is over.  Filters are searched as packing does it
 * (recipe_cache.h): once for many blocks of a stream, and again where they have
 * become much worse.  The rest of the archive is known well enough from its
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
#include "write/estimate_sample.h"
#include "write/hint.h"
#include "write/packer.h"
#include "write/recipe_cache.h"
#include "write/refill.h"
#include "nc3z_tools.h"

/* A file up to so many bytes is packed; at the highest level, shorter ones. */
#define SMALL_NBYTES (UINT64_C(1) << 20)
#define SLOW_SMALL_NBYTES (UINT64_C(64) << 10)

/* Of larger ones so many bytes are encoded, and one in so many of the rest. */
#define SAMPLE_NBYTES (UINT64_C(2) << 20)
#define SAMPLE_SHARE 32
#define SAMPLE_NBYTES_MAX (UINT64_C(64) << 20)

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
	struct tally *tallies; /* of the streams */
	struct sampled_blocks sample;
	uint64_t nblocks;    /* of all of them */
	uint64_t raw_nbytes; /* that were encoded, and what they became */
	uint64_t stored_nbytes;
	uint64_t default_nbytes; /* the same, at the default level */
	struct nc3z_estimate estimate;
	struct nc3z_error *err;
};

/* What a stream has come to so far. */
struct tally {
	struct cached_recipe_contents known;
	uint64_t first; /* of its blocks, among those of all streams */
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

/* What the archive keeps of the block that was encoded last. */
static int measure_record(struct estimator *e, const struct choose_input *input,
			  uint64_t *nbytes_ret)
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
	*nbytes_ret = e->record.nbytes + e->stored.payload.nbytes;
	return NC3Z_OK;
}

/* Searches the recipe of a block, encodes it and keeps what was found. */
static int search_block(struct estimator *e, const struct choose_input *input,
			int effort, struct cached_recipe_contents *known)
{
	const struct choose_settings settings = {
		.effort = effort,
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
	*is_enough_ret = !cached_recipe_is_much_worse(known, input->raw_nbytes,
						      choice.nbytes);
	return NC3Z_OK;
}

/*
 * The highest level has something to be compared with: the same bytes in blocks
 * of the length that the default level has.
 */
static int encode_by_default(struct estimator *e,
			     const struct choose_input *input)
{
	size_t most = size_max(input->hint.width * PLAN_BLOCK_NELEMS,
			       PLAN_BLOCK_NBYTES_LEAST);
	struct cached_recipe_contents unused;
	struct choose_input part = *input;
	uint64_t nbytes;

	if (e->settings.effort != NC3Z_LEVEL_MAX)
		return NC3Z_OK;
	for (size_t left = input->raw_nbytes; left > 0;
	     left -= part.raw_nbytes) {
		part.raw_nbytes = left < most ? left : most;
		NC3Z_TRY(search_block(e, &part, NC3Z_LEVEL_DEFAULT, &unused));
		NC3Z_TRY(measure_record(e, &part, &nbytes));
		e->default_nbytes += nbytes;
		part.raw += part.raw_nbytes;
	}
	return NC3Z_OK;
}

/* Encodes a block with what was found on another one, and takes the time. */
static int encode_like_others(struct estimator *e,
			      const struct choose_input *input,
			      struct tally *tally, bool *is_enough_ret)
{
	double begin = processor_seconds();

	NC3Z_TRY(encode_known(e, input, &tally->known, is_enough_ret));
	if (!*is_enough_ret)
		return NC3Z_OK;
	NC3Z_TRY(sha256_update(e->sha256, input->raw, input->raw_nbytes,
			       e->err));
	tally->seconds += processor_seconds() - begin;
	tally->nbytes += input->raw_nbytes;
	return NC3Z_OK;
}

static int encode(struct estimator *e, const struct choose_input *input,
		  struct tally *tally)
{
	double begin = processor_seconds();
	uint64_t nbytes;
	bool is_enough;

	NC3Z_TRY(encode_like_others(e, input, tally, &is_enough));
	if (!is_enough) {
		NC3Z_TRY(search_block(e, input, e->settings.effort,
				      &tally->known));
		tally->search_seconds += processor_seconds() - begin;
		tally->search_nbytes += input->raw_nbytes;
	}
	/* The time of most blocks, where no other tells. */
	if (tally->nbytes == 0)
		NC3Z_TRY(encode_like_others(e, input, tally, &is_enough));
	NC3Z_TRY(measure_record(e, input, &nbytes));
	if (!sample_add(&e->sample,
			(struct sampled_block){
				(uint32_t)(tally - e->tallies),
				crc32_of(input->raw, input->raw_nbytes),
				nbytes }))
		return error_set_memory(e->err);
	tally->raw_nbytes += input->raw_nbytes;
	tally->stored_nbytes += nbytes;
	e->raw_nbytes += input->raw_nbytes;
	e->stored_nbytes += nbytes;
	e->estimate.nblocks_encoded++;
	return encode_by_default(e, input);
}

static int encode_block(struct estimator *e, uint32_t stream, uint64_t number)
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
		status = encode(e, &input, &e->tallies[stream]);
	free(raw);
	return status;
}

/* The stream that has a block of all streams. */
static uint32_t stream_of(const struct estimator *e, uint64_t block)
{
	uint32_t low = 0, high = e->head.shape.plan.nstreams;

	while (high - low > 1) {
		uint32_t middle = low + (high - low) / 2;

		if (e->tallies[middle].first <= block)
			low = middle;
		else
			high = middle;
	}
	return low;
}

static int number_blocks(struct estimator *e)
{
	uint32_t nstreams = e->head.shape.plan.nstreams;

	e->tallies = calloc((size_t)nstreams + 1, sizeof(*e->tallies));
	if (!e->tallies)
		return error_set_memory(e->err);
	for (uint32_t i = 0; i < nstreams; i++) {
		e->tallies[i].first = e->nblocks;
		e->nblocks += e->map.extents[i].nblocks;
	}
	return NC3Z_OK;
}

static int encode_some(struct estimator *e, double max_seconds)
{
	uint64_t wanted = size_min(SAMPLE_NBYTES + e->in->size / SAMPLE_SHARE,
				   SAMPLE_NBYTES_MAX);
	uint64_t step = sample_step(e->nblocks);
	uint64_t at = e->nblocks / 2;
	double begin = processor_seconds();

	for (uint64_t i = 0; i < e->nblocks && e->raw_nbytes < wanted; i++) {
		uint32_t stream = stream_of(e, at);

		NC3Z_TRY(
			encode_block(e, stream, at - e->tallies[stream].first));
		if (processor_seconds() - begin > max_seconds)
			break;
		at = (at + step) % e->nblocks;
	}
	return NC3Z_OK;
}

/* Time of a stream: of each epoch one block is searched. */
static double scale_seconds(const struct tally *t,
			    const struct plan_extent *extent)
{
	double nbytes = (double)extent->nbytes;
	double nblocks = (double)extent->nblocks;
	double nsearched =
		(double)((extent->nblocks + RECIPE_EPOCH - 1) / RECIPE_EPOCH);
	double search = t->search_nbytes > 0 ?
				t->search_seconds / (double)t->search_nbytes :
				0;
	double other = t->nbytes > 0 ? t->seconds / (double)t->nbytes : search;

	return nbytes / nblocks *
	       (search * nsearched + other * (nblocks - nsearched));
}

/* Streams of which nothing was encoded are like the others. */
static void add_streams(struct estimator *e)
{
	double seconds = 0, nbytes = 0, rest = 0;

	sample_sort(&e->sample);
	for (uint32_t i = 0; i < e->head.shape.plan.nstreams; i++) {
		const struct plan_extent *extent = &e->map.extents[i];
		const struct tally *t = &e->tallies[i];

		if (t->raw_nbytes == 0) {
			rest += (double)extent->nbytes;
			continue;
		}
		nbytes += (double)extent->nbytes;
		seconds += scale_seconds(t, extent);
		e->estimate.archive_nbytes +=
			(uint64_t)((double)t->stored_nbytes *
				   (double)extent->nbytes /
				   (double)t->raw_nbytes *
				   sample_distinct_share(&e->sample, i,
							 extent->nblocks));
	}
	if (nbytes > 0) {
		seconds += seconds * rest / nbytes;
		e->estimate.archive_nbytes +=
			(uint64_t)(rest * (double)e->stored_nbytes /
				   (double)e->raw_nbytes);
	}
	e->estimate.nblocks = e->nblocks;
	e->estimate.seconds += seconds;
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

/*
 * Which length of blocks is best at the highest level takes long to find out:
 * it is taken to be the usual one.  Warnings are for packing alone.
 */
static void simplify_settings(struct estimator *e)
{
	struct nc3z_pack_options *options = &e->settings.options;

	options->warn = NULL;
	if (options->level == NC3Z_LEVEL_MAX && options->block_nbytes == 0 &&
	    options->nchunks == 0)
		e->settings.block_nbytes = PACK_LEVEL_MAX_NBYTES;
}

static int estimate_parts(struct estimator *e, double max_seconds)
{
	double begin = processor_seconds();

	simplify_settings(e);
	NC3Z_TRY(pack_head_plan(&e->head, &e->settings, e->err));
	NC3Z_TRY(plan_map_init(&e->map, &e->head.shape.plan, e->in->size,
			       e->err));
	e->sha256 = sha256_new();
	if (!e->sha256)
		return error_set_memory(e->err);
	e->refill.read = read_at;
	e->refill.context = e;
	NC3Z_TRY(number_blocks(e));
	e->estimate.seconds = processor_seconds() - begin;
	NC3Z_TRY(encode_some(e, max_seconds));
	add_streams(e);
	e->estimate.stored_nbytes = e->stored_nbytes;
	e->estimate.default_nbytes = e->default_nbytes;
	return count_frame(e);
}

static int estimate(struct estimator *e, double max_seconds)
{
	bool is_slow = e->settings.options.level == NC3Z_LEVEL_MAX;
	bool has_size = e->in->can_seek && e->in->size != SOURCE_SIZE_UNKNOWN;

	NC3Z_TRY(pack_head_read(&e->head, e->in, e->err));
	e->estimate.original_nbytes = has_size ? e->in->size : 0;
	e->settings.original_nbytes = e->estimate.original_nbytes;
	if (max_seconds <= 0)
		return NC3Z_OK;
	return !has_size || e->in->size <= (is_slow ? SLOW_SMALL_NBYTES :
						      SMALL_NBYTES) ?
		       pack_all(e) :
		       estimate_parts(e, max_seconds);
}

static void estimator_release(struct estimator *e)
{
	refill_release(&e->refill);
	chooser_release(&e->chooser);
	block_stored_release(&e->stored);
	buffer_release(&e->record);
	sha256_free(e->sha256);
	free(e->tallies);
	sample_release(&e->sample);
	plan_map_release(&e->map);
	pack_head_release(&e->head);
}

int nc3z_estimate(struct nc3z_source *in,
		  const struct nc3z_pack_options *options, double max_seconds,
		  struct nc3z_estimate *estimate_ret, struct nc3z_error *err)
{
	struct estimator e = { .in = in, .err = err };
	int status;

	NC3Z_TRY(pack_settings_init(&e.settings, options, err));
	/* One thread, so that its time is all there is. */
	e.settings.options.nthreads = 1;
	status = estimate(&e, max_seconds);
	if (status == NC3Z_OK)
		*estimate_ret = e.estimate;
	estimator_release(&e);
	return status;
}
