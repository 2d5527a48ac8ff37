/* SPDX-License-Identifier: MIT */
/* A block's description in numbers for callers, and these as text. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/sizes.h"
#include "block/splits.h"

/* Splitting steps come after all filters that there can be. */
#define SPLITS ((int)NC3Z_FILTER_CONSTANT - (int)BLOCK_CONSTANT)

_Static_assert(BLOCK_SPLITS_MAX + FILTER_STEPS_MAX <= NC3Z_CODING_STEPS_MAX,
	       "all steps fit");

static void add_step(struct nc3z_coding *coding, uint32_t filter,
		     uint32_t parameter)
{
	coding->filters[coding->nsteps] = filter;
	coding->parameters[coding->nsteps] = parameter;
	coding->nsteps++;
}

static uint32_t shown(const struct block_split *split)
{
	const struct split_ops *ops = split_ops_of(split->id);

	return ops->shown ? (uint32_t)size_min(ops->shown(split), UINT32_MAX) :
			    0;
}

/* The splitting steps, then the main part, which is the last. */
void block_description_coding(const struct block_description *d,
			      struct nc3z_coding *coding)
{
	const struct block_part *part;

	*coding = (struct nc3z_coding){ .codec = NC3Z_NO_NUMBER };
	for (unsigned i = 0; i < d->nsplits; i++)
		add_step(coding, SPLITS + d->splits[i].id,
			 shown(&d->splits[i]));
	if (d->nparts == 0)
		return;
	part = &d->parts[d->nparts - 1];
	coding->codec = part->codec;
	for (unsigned i = 0; i < part->chain.nsteps; i++)
		add_step(coding, part->chain.steps[i].id,
			 part->chain.steps[i].stride);
}

static const char *name_of(uint32_t filter)
{
	const char *name = NULL;

	if (filter > SPLITS && filter <= SPLITS + UINT8_MAX)
		name = block_split_name((uint8_t)(filter - SPLITS));
	else if (filter <= UINT8_MAX)
		name = filter_name((uint8_t)filter);
	return name ? name : "unknown";
}

/* A text that is cut off where its memory ends. */
struct text {
	char *bytes;
	size_t room;
	size_t nbytes; /* of the whole text */
};

static void put_word(struct text *text, const char *word)
{
	size_t nbytes = strlen(word);

	for (size_t i = 0; i < nbytes && text->nbytes + i + 1 < text->room; i++)
		text->bytes[text->nbytes + i] = word[i];
	text->nbytes += nbytes;
}

size_t nc3z_coding_text(const struct nc3z_coding *coding, char *text,
			size_t text_nbytes)
{
	if (!coding || !text)
		return 0;

	struct text t = { .bytes = text, .room = text_nbytes };
	const char *codec;
	char parameter[16];

	for (uint32_t i = 0; i < coding->nsteps && i < NC3Z_CODING_STEPS_MAX;
	     i++) {
		put_word(&t, i > 0 ? " " : "");
		put_word(&t, name_of(coding->filters[i]));
		snprintf(parameter, sizeof(parameter), "(%" PRIu32 ")",
			 coding->parameters[i]);
		if (coding->parameters[i] > 0)
			put_word(&t, parameter);
	}
	if (coding->codec != NC3Z_NO_NUMBER) {
		codec = nc3z_codec_name((int)coding->codec);
		put_word(&t, coding->nsteps > 0 ? " " : "");
		put_word(&t, codec ? codec : "unknown");
	}
	if (text_nbytes > 0)
		text[t.nbytes < text_nbytes ? t.nbytes : text_nbytes - 1] =
			'\0';
	return t.nbytes;
}
