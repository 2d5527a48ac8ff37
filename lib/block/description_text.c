/* A block's description as people read it: "order delta(1) shuffle zstd". */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "block/block.h"

static void append(char *text, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void append(char *text, const char *format, ...)
{
	size_t used = strlen(text);
	va_list args;

	va_start(args, format);
	vsnprintf(text + used, BLOCK_TEXT_NBYTES - used, format, args);
	va_end(args);
}

/* "order delta(1) zigzag shuffle zstd" */
static void describe_part(const struct block_part *part, char *text)
{
	for (unsigned i = 0; i < part->chain.nsteps; i++) {
		const struct filter_step *step = &part->chain.steps[i];

		append(text, "%s", filter_name(step->id));
		if (step->stride)
			append(text, "(%" PRIu32 ")", step->stride);
		append(text, " ");
	}
	append(text, "%s", codec_name(part->codec));
}

/* The splitting steps, then the main part, which is the last. */
void block_description_text(const struct block_description *d, char *text)
{
	text[0] = '\0';
	for (unsigned i = 0; i < d->nsplits; i++) {
		const struct block_split *split = &d->splits[i];

		append(text, "%s%s", i > 0 ? " " : "",
		       block_split_name(split->id));
		if (split->id == BLOCK_DECIMAL)
			append(text, "(%u)", split->exponent);
	}
	if (d->nsplits > 0 && d->nparts > 0)
		append(text, " ");
	if (d->nparts > 0)
		describe_part(&d->parts[d->nparts - 1], text);
}
