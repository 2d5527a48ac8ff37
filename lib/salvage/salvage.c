/* SPDX-License-Identifier: MIT */
#include "salvage/salvage.h"

#include <stdlib.h>
#include <string.h>

#include "base/options.h"
#include "parallel/threads.h"

/* The report, and what its pointers point to. */
struct owned_report {
	struct nc3z_salvage_report report; /* first: it is what callers have */
	struct salvage_losses losses;
	size_t nvars;
};

void nc3z_salvage_options_init_sized(struct nc3z_salvage_options *options,
				     size_t options_nbytes)
{
	const struct nc3z_salvage_options defaults = {
		.max_memory_nbytes = NC3Z_MAX_MEMORY_DEFAULT,
	};

	options_init(options, options_nbytes, &defaults, sizeof(defaults));
}

static int scan_all(struct salvage *s)
{
	for (uint32_t i = 0; i < s->nsources; i++)
		NC3Z_TRY(salvage_scan(s->sources[i], i, &s->finds, s->err));
	return NC3Z_OK;
}

/* Archives of which nothing was used. */
static unsigned count_others(const struct salvage *s)
{
	unsigned n = 0;

	for (size_t i = 0; i < s->finds.nfragments; i++)
		if (s->finds.fragments[i].nfound > 0 && !s->joined[i])
			n++;
	return n;
}

static void describe_salvage(const struct salvage *s,
			     struct nc3z_salvage_report *r)
{
	const struct salvage_fragment *f = &s->finds.fragments[s->chosen];

	r->source = f->source;
	r->offset = f->offset;
	r->nothers = count_others(s);
	r->plan_from = s->plan_from;
	r->header_is_copy = s->head_is_copy;
	r->losses = s->losses.list;
	r->nlosses = s->losses.count;
	r->nlosses_unlisted = s->losses.nunlisted;
}

static int salvage(struct salvage *s, struct nc3z_sink *out,
		   struct nc3z_salvage_report *report)
{
	NC3Z_TRY(scan_all(s));
	NC3Z_TRY(salvage_join(s));
	NC3Z_TRY(salvage_plan(s));
	NC3Z_TRY(salvage_map(s));
	NC3Z_TRY(salvage_find_copies(s));
	NC3Z_TRY(salvage_write(s, out, report));
	describe_salvage(s, report);
	return NC3Z_OK;
}

static void salvage_release(struct salvage *s)
{
	salvage_losses_release(&s->losses, s->header.nvars);
	cache_free(s->cache);
	block_coder_release(&s->coder);
	salvage_release_copies(s);
	buffer_release(&s->record.header);
	buffer_release(&s->payload);
	plan_map_release(&s->endless);
	plan_map_release(&s->map);
	layout_release(&s->layout);
	classic_header_release(&s->header);
	buffer_release(&s->head);
	plan_release(&s->plan);
	buffer_release(&s->plan_bytes);
	catalogue_release(&s->catalogue);
	buffer_release(&s->catalogue_contents);
	free(s->joined);
	salvage_finds_release(&s->finds);
}

int nc3z_salvage(struct nc3z_source *const *in, size_t nin,
		 struct nc3z_sink *out,
		 const struct nc3z_salvage_options *options,
		 struct nc3z_salvage_report **report_ret,
		 struct nc3z_error *err)
{
	NC3Z_NEED(err, in && out);

	struct nc3z_salvage_options own;
	/* Many a failure is one to go on from: none of them is the caller's. */
	struct nc3z_error failure = { 0 };
	struct salvage s = {
		.sources = in,
		.options = &own,
		.err = &failure,
	};
	struct owned_report *owned;
	int status;

	nc3z_salvage_options_init(&own);
	NC3Z_TRY(options_copy(&own, sizeof(own), options, err));
	NC3Z_TRY(threads_check(own.nthreads, err));
	if (nin == 0 || nin > NC3Z_SALVAGE_INPUTS_MAX)
		return error_set(err, NC3Z_EINVAL,
				 "number of inputs is not between 1 and %u",
				 NC3Z_SALVAGE_INPUTS_MAX);
	for (size_t i = 0; i < nin; i++)
		NC3Z_NEED(err, in[i]);
	s.nsources = (uint32_t)nin;
	owned = calloc(1, sizeof(*owned));
	status = owned ? salvage(&s, out, &owned->report) :
			 error_set_memory(&failure);
	if (status != NC3Z_OK && err)
		*err = failure;
	if (status == NC3Z_OK && report_ret) {
		owned->losses = s.losses;
		owned->nvars = s.header.nvars;
		s.losses = (struct salvage_losses){ 0 };
		*report_ret = &owned->report;
	} else {
		free(owned);
	}
	salvage_release(&s);
	return status;
}

void nc3z_salvage_report_free(struct nc3z_salvage_report *report)
{
	struct owned_report *owned = (struct owned_report *)report;

	if (owned)
		salvage_losses_release(&owned->losses, owned->nvars);
	free(owned);
}
