/* SPDX-License-Identifier: MIT */
#include "write/pack_head.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/magic.h"
#include "base/sizes.h"
#include "parallel/threads.h"
#include "write/pack_header.h"
#include "nc3z_tools.h"

void pack_warn(const struct nc3z_pack_options *options, const char *format, ...)
{
	char text[256];
	va_list args;

	if (!options->warn)
		return;
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	options->warn(options->context, text);
}

static void warn_of_header(const struct pack_head *h,
			   const struct nc3z_pack_options *options)
{
	const struct layout *layout = &h->shape.layout;
	char refusal[NC3Z_REFUSAL_NBYTES];
	const char *kept = "overlap with other data: bytes are kept without "
			   "filters";
	const struct classic_name *name = NULL;

	if (layout->nmisplaced > 0)
		name = &h->header.vars[layout->first_misplaced].name;
	if (layout->nmisplaced == 1)
		pack_warn(options, "values of the variable %.*s %s",
			  (int)size_min(name->nbytes, 64), name->bytes, kept);
	else if (layout->nmisplaced > 1)
		pack_warn(options,
			  "values of %" PRIu32
			  " variables, the first of them %.*s, %s",
			  layout->nmisplaced, (int)size_min(name->nbytes, 64),
			  name->bytes, kept);
	if (classic_refusal_text(&h->header, refusal, sizeof(refusal)))
		pack_warn(options, "libnetcdf refuses this file: %s", refusal);
}

int pack_head_read(struct pack_head *head, struct nc3z_source *in,
		   struct nc3z_error *err)
{
	return pack_header_read(in, &head->bytes, &head->header, err);
}

int pack_head_plan(struct pack_head *head, const struct pack_settings *settings,
		   struct nc3z_error *err)
{
	NC3Z_TRY(pack_shape_init(&head->shape, &head->header, settings, err));
	warn_of_header(head, &settings->options);
	if (!plan_write(&head->shape.plan, &head->plan))
		return error_set_memory(err);
	return head->plan.nbytes <= PLAN_NBYTES_MAX ?
		       NC3Z_OK :
		       error_set(err, NC3Z_ELIMIT, "too many variables");
}

/* Whether what is there begins as a classic file does. */
static bool begins_file(struct nc3z_source *in, uint64_t offset)
{
	struct nc3z_error err;
	uint8_t first[16];
	size_t got = 0;

	return in && in->can_seek &&
	       source_read_at(in, offset, first, sizeof(first), &got, &err) ==
		       NC3Z_OK &&
	       magic_is_classic(first, got);
}

/* Of what lies after the data that the header describes. */
static void warn_of_rest(const struct pack_head *head,
			 const struct nc3z_pack_options *options,
			 struct nc3z_source *in, uint64_t size)
{
	uint64_t nuncounted, nbytes, at;

	if (pack_uncounted(&head->header, size, &nuncounted, &nbytes, NULL) !=
	    NC3Z_OK)
		return;
	at = size - nbytes;
	if (nbytes > 0 && !begins_file(in, at))
		at += -at & 3; /* the first may be padded */
	if (nbytes > 0 && begins_file(in, at))
		pack_warn(options,
			  "another classic file begins after the end of the "
			  "data that the header describes, at byte %" PRIu64
			  ": programs read only the first",
			  at);
	else if (nuncounted > 0)
		pack_warn(options,
			  "%" PRIu64 " whole record%s after the %" PRIu64
			  " that the header counts",
			  nuncounted, nuncounted == 1 ? "" : "s",
			  head->header.numrecs);
}

void pack_warn_of_size(const struct pack_head *head,
		       const struct nc3z_pack_options *options,
		       struct nc3z_source *in, uint64_t size)
{
	uint64_t data_end = head->shape.layout.data_end;

	warn_of_rest(head, options, in, size);
	if (size < data_end)
		pack_warn(options,
			  "file ends at byte %" PRIu64 ", but its header "
			  "describes data up to byte %" PRIu64,
			  size, data_end);
}

static uint32_t largest_block(const struct pack_head *head)
{
	const struct plan *plan = &head->shape.plan;
	uint32_t nbytes = 0;

	for (uint32_t i = 0; i < plan->nstreams; i++)
		if (plan->streams[i].block_nbytes > nbytes)
			nbytes = plan->streams[i].block_nbytes;
	return nbytes;
}

struct block_writer_setup pack_head_setup(const struct pack_head *head,
					  const struct pack_settings *settings,
					  struct archive_writer *archive)
{
	return (struct block_writer_setup){
		.archive = archive,
		.settings = {
			.effort = settings->effort,
			.codec = (uint8_t)settings->options.codec,
			.stop = settings->options.stop,
		},
		.hints = head->shape.hints,
		.streams = head->shape.plan.streams,
		.plan = &head->plan,
		.nstreams = head->shape.plan.nstreams,
		.block_nbytes = largest_block(head),
		.nthreads = threads_wanted(settings->options.nthreads),
	};
}

void pack_head_release(struct pack_head *head)
{
	buffer_release(&head->plan);
	pack_shape_release(&head->shape);
	classic_header_release(&head->header);
	buffer_release(&head->bytes);
}
