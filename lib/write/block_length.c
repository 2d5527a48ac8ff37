/* SPDX-License-Identifier: MIT */
#include "write/block_length.h"

#include <string.h>

#include "base/sizes.h"
#include "choose/effort.h"
#include "write/packer.h"

/* So much of the original is packed to find out. */
#define BEGINNING_NBYTES ((size_t)16 << 20)

/*
 * A length, and the originals that are tried with it.  It is taken if it makes
 * archives smaller by more than 1 / 'gain'.
 */
struct length {
	uint32_t nbytes; /* as in struct pack_settings */
	enum plan_joining joining;
	uint32_t gain;
	uint32_t original_nbytes_min;
	uint32_t original_nbytes_max;
};

/*
 * The shorter blocks are, the less is decoded for one value: four times as
 * much is worth a little, sixteen times as much has to gain something, and so
 * has a block of several variables.
 */
static const struct length lengths[] = {
	{ 0, PLAN_JOIN_SMALL, 1, 0, UINT32_MAX },
	{ PACK_LEVEL_MAX_NBYTES, PLAN_JOIN_SMALL, 1024, 0, UINT32_MAX },
	{ PLAN_JOINED_NBYTES, PLAN_JOIN_SMALL, 64, PLAN_JOINED_NBYTES + 1,
	  UINT32_MAX },
	{ PLAN_JOINED_NBYTES, PLAN_JOIN_LIKE, 64, 0, PLAN_JOINED_NBYTES },
	{ PLAN_JOINED_NBYTES, PLAN_JOIN_WIDTH, 64, 0, PLAN_JOINED_NBYTES },
	{ PLAN_JOINED_NBYTES, PLAN_JOIN_ALL, 64, 0, PLAN_JOINED_NBYTES },
};
#define NLENGTHS (sizeof(lengths) / sizeof(*lengths))

static void set_length(struct pack_settings *settings,
		       const struct length *length)
{
	settings->block_nbytes = length->nbytes;
	settings->joining = length->joining;
}

/* The plan with a length, as bytes. */
static int write_plan(const struct classic_header *header,
		      const struct pack_settings *settings,
		      const struct length *length, struct buffer *out,
		      struct nc3z_error *err)
{
	struct pack_settings with = *settings;
	struct pack_shape shape;
	int status;

	set_length(&with, length);
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
			 const struct pack_settings *settings,
			 unsigned *differ_ret, struct nc3z_error *err)
{
	struct buffer plans[NLENGTHS] = { 0 };
	int status = NC3Z_OK;

	*differ_ret = 0;
	for (size_t i = 0; i < NLENGTHS && status == NC3Z_OK; i++) {
		size_t same = 0;

		status = write_plan(header, settings, &lengths[i], &plans[i],
				    err);
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
 * Originals that may be joined are tried with LZMA, which takes some seconds;
 * for the others, of which only the length of blocks is chosen, the first level
 * with the slower zstd tells as much.
 */
#define LENGTH_TRIAL_LEVEL 6

/* Up to here a closer trial costs little, and two files in fifty need it. */
#define CLOSE_NBYTES ((size_t)512 << 10)

static int trial_effort(const struct buffer *begun)
{
	if (begun->nbytes <= CLOSE_NBYTES)
		return EFFORT_TRIAL_CLOSE;
	return begun->nbytes <= PLAN_JOINED_NBYTES ? EFFORT_TRIAL :
						     LENGTH_TRIAL_LEVEL;
}

/* How long the archive of the beginning is with a length. */
static int try_length(const struct buffer *begun,
		      const struct pack_settings *settings,
		      const struct length *length, uint64_t *nbytes_ret,
		      struct nc3z_error *err)
{
	struct pack_settings trial = *settings;
	struct nc3z_summary summary = { 0 };
	struct pack_head head = { 0 };
	struct nc3z_source *beginning;
	int status;

	trial.effort = trial_effort(begun);
	set_length(&trial, length);
	NC3Z_TRY(nc3z_source_open_memory(begun->data, begun->nbytes, &beginning,
					 err));
	status = pack_head_read(&head, beginning, err);
	if (status == NC3Z_OK)
		status = pack_into_nothing(beginning, &head, &trial, &summary,
					   err);
	pack_head_release(&head);
	nc3z_source_close(beginning);
	*nbytes_ret = summary.archive_nbytes;
	return status;
}

/* Originals that are as short as a block: joining is no more to decode. */
#define SHORT_NBYTES ((size_t)128 << 10)
#define SHORT_GAIN 256

/*
 * Joining all variables gains nothing where joining all of the same width does
 * not: of 90 originals it never did.
 */
static bool suits_length(const struct length *length, const struct length *best,
			 size_t original_nbytes)
{
	return original_nbytes >= length->original_nbytes_min &&
	       original_nbytes <= length->original_nbytes_max &&
	       (length->joining != PLAN_JOIN_ALL ||
		best->joining == PLAN_JOIN_WIDTH);
}

/* Takes the best of the lengths that differ and suit the original. */
static int try_lengths(const struct buffer *begun, unsigned differ,
		       struct pack_settings *settings, struct nc3z_error *err)
{
	const struct length *best = &lengths[0];
	uint64_t least, nbytes;
	uint32_t gain;

	NC3Z_TRY(try_length(begun, settings, best, &least, err));
	for (size_t i = 1; i < NLENGTHS; i++) {
		if (!(differ >> i & 1) ||
		    !suits_length(&lengths[i], best, begun->nbytes))
			continue;
		NC3Z_TRY(
			try_length(begun, settings, &lengths[i], &nbytes, err));
		gain = begun->nbytes <= SHORT_NBYTES ? SHORT_GAIN :
						       lengths[i].gain;
		if (nbytes + least / gain >= least)
			continue;
		least = nbytes;
		best = &lengths[i];
	}
	set_length(settings, best);
	return NC3Z_OK;
}

int block_length_choose(struct nc3z_source *in, struct pack_head *head,
			struct pack_settings *settings, struct nc3z_error *err)
{
	const struct nc3z_pack_options *options = &settings->options;
	unsigned differ;

	if (options->level != NC3Z_LEVEL_MAX || options->block_nbytes != 0 ||
	    options->nchunks > 0)
		return NC3Z_OK;
	NC3Z_TRY(compare_plans(&head->header, settings, &differ, err));
	if (differ == 1)
		return NC3Z_OK;
	NC3Z_TRY(read_beginning(in, &head->bytes, err));
	return try_lengths(&head->bytes, differ, settings, err);
}
