/* SPDX-License-Identifier: MIT */
#include "write/block_length.h"

#include <string.h>

#include "base/sizes.h"
#include "choose/effort.h"
#include "write/pack_shape.h"

/* So much of the original is packed to find out. */
#define BEGINNING_NBYTES ((size_t)16 << 20)

/* A length is taken if it makes archives smaller by more than 1 / 'gain'. */
struct length {
	uint32_t nbytes; /* or a number of pack_shape.h */
	uint32_t gain;
	uint32_t original_nbytes_max;
};

/*
 * The shorter blocks are, the less is decoded for one value: four times as
 * much is worth a little, sixteen times as much has to gain something, and so
 * has a block of several variables.
 */
static const struct length lengths[] = {
	{ BLOCK_LENGTH_BY_ELEMENTS, 1, UINT32_MAX },
	{ BLOCK_LENGTH_LEVEL_MAX, 1024, UINT32_MAX },
	{ UINT32_C(4) << 20, 64, UINT32_MAX },
	{ BLOCK_LENGTH_JOINED(PLAN_JOIN_LIKE), 64, PLAN_JOINED_NBYTES },
	{ BLOCK_LENGTH_JOINED(PLAN_JOIN_WIDTH), 64, PLAN_JOINED_NBYTES },
	{ BLOCK_LENGTH_JOINED(PLAN_JOIN_ALL), 64, PLAN_JOINED_NBYTES },
};
#define NLENGTHS (sizeof(lengths) / sizeof(*lengths))

/* The plan with a length, as bytes. */
static int write_plan(const struct classic_header *header,
		      const struct nc3z_pack_options *options, uint32_t nbytes,
		      struct buffer *out, struct nc3z_error *err)
{
	struct nc3z_pack_options with = *options;
	struct pack_shape shape;
	int status;

	with.block_nbytes = nbytes;
	status = pack_shape_init(&shape, header, &with, err);
	if (status == NC3Z_OK && !plan_write(&shape.plan, out))
		status = error_set_memory(err);
	pack_shape_release(&shape);
	return status;
}

/*
 * Which lengths give other blocks than all those before them, by the header
 * alone, a bit for each.
 */
static int compare_plans(const struct classic_header *header,
			 const struct nc3z_pack_options *options,
			 unsigned *differ_ret, struct nc3z_error *err)
{
	struct buffer plans[NLENGTHS] = { 0 };
	int status = NC3Z_OK;

	*differ_ret = 0;
	for (size_t i = 0; i < NLENGTHS && status == NC3Z_OK; i++) {
		size_t same = 0;

		status = write_plan(header, options, lengths[i].nbytes,
				    &plans[i], err);
		while (same < i && (plans[same].nbytes != plans[i].nbytes ||
				    memcmp(plans[same].data, plans[i].data,
					   plans[i].nbytes) != 0))
			same++;
		if (same == i)
			*differ_ret |= 1u << i;
	}
	for (size_t i = 0; i < NLENGTHS; i++)
		buffer_release(&plans[i]);
	return status;
}

static int read_beginning(struct nc3z_source *in, struct buffer *begun,
			  struct nc3z_error *err)
{
	size_t got = begun->nbytes, wanted;

	if (got >= BEGINNING_NBYTES)
		return NC3Z_OK;
	wanted = BEGINNING_NBYTES - got;
	if (in->size != SOURCE_SIZE_UNKNOWN)
		wanted = (size_t)size_min(wanted,
					  in->size - size_min(in->size, got));
	if (!buffer_reserve(begun, got + wanted))
		return error_set_memory(err);
	NC3Z_TRY(source_read_at(in, got, begun->data + got, wanted, &got, err));
	begun->nbytes += got;
	return NC3Z_OK;
}

/*
 * Originals that may be joined are tried with LZMA and context coding, which
 * takes some seconds; for the others, of which only the length of blocks is
 * chosen, the first level with the slower zstd tells as much.
 */
#define LENGTH_TRIAL_LEVEL 6

/* Up to here a closer trial costs little, and two files in fifty need it. */
#define CLOSE_NBYTES ((size_t)512 << 10)

static int trial_level(const struct buffer *begun)
{
	if (begun->nbytes <= CLOSE_NBYTES)
		return EFFORT_TRIAL_CLOSE;
	return begun->nbytes <= PLAN_JOINED_NBYTES ? EFFORT_TRIAL :
						     LENGTH_TRIAL_LEVEL;
}

/* How long the archive of the beginning is with a length. */
static int try_length(const struct buffer *begun,
		      const struct nc3z_pack_options *options, uint32_t nbytes,
		      block_length_trial_fn *pack, uint64_t *nbytes_ret,
		      struct nc3z_error *err)
{
	struct nc3z_pack_options trial = *options;
	struct nc3z_summary summary = { 0 };
	struct nc3z_source *beginning;
	int status;

	trial.level = trial_level(begun);
	trial.block_nbytes = nbytes;
	NC3Z_TRY(nc3z_source_open_memory(begun->data, begun->nbytes, &beginning,
					 err));
	status = pack(beginning, &trial, &summary, err);
	nc3z_source_close(beginning);
	*nbytes_ret = summary.archive_nbytes;
	return status;
}

/* Originals that are as short as a block: joining is no more to decode. */
#define SHORT_NBYTES ((size_t)128 << 10)
#define SHORT_GAIN 256

/* Takes the best of the lengths that differ and suit the original. */
static int try_lengths(const struct buffer *begun, unsigned differ,
		       struct nc3z_pack_options *options,
		       block_length_trial_fn *trial, struct nc3z_error *err)
{
	uint32_t best = lengths[0].nbytes;
	uint64_t least, nbytes;
	uint32_t gain;

	NC3Z_TRY(try_length(begun, options, best, trial, &least, err));
	for (size_t i = 1; i < NLENGTHS; i++) {
		if (!(differ >> i & 1) ||
		    begun->nbytes > lengths[i].original_nbytes_max)
			continue;
		NC3Z_TRY(try_length(begun, options, lengths[i].nbytes, trial,
				    &nbytes, err));
		gain = begun->nbytes <= SHORT_NBYTES ? SHORT_GAIN :
						       lengths[i].gain;
		if (nbytes + least / gain >= least)
			continue;
		least = nbytes;
		best = lengths[i].nbytes;
	}
	options->block_nbytes = best;
	return NC3Z_OK;
}

int block_length_choose(struct nc3z_source *in, struct buffer *begun,
			const struct classic_header *header,
			struct nc3z_pack_options *options,
			block_length_trial_fn *trial, struct nc3z_error *err)
{
	unsigned differ;

	if (options->level != NC3Z_LEVEL_MAX || options->block_nbytes != 0 ||
	    options->nchunks > 0)
		return NC3Z_OK;
	NC3Z_TRY(compare_plans(header, options, &differ, err));
	if (differ == 1) {
		options->block_nbytes = BLOCK_LENGTH_LEVEL_MAX;
		return NC3Z_OK;
	}
	NC3Z_TRY(read_beginning(in, begun, err));
	return try_lengths(begun, differ, options, trial, err);
}
