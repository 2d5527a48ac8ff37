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

/* Archives that have something which was not used. */
static unsigned count_others(const struct salvage *s)
{
	unsigned n = 0;

	for (size_t i = 0; i < s->finds.nfragments; i++) {
		const struct salvage_fragment *f = &s->finds.fragments[i];

		n += f->nfound > 0 && !s->joined[i] &&
		     (f->has_unproven || !salvage_has_identity(s, f));
	}
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

/* Forgets all but what was found. */
static void forget_archive(struct salvage *s)
{
	plan_map_release(&s->endless);
	plan_map_release(&s->map);
	layout_release(&s->layout);
	classic_header_release(&s->header);
	plan_release(&s->plan);
	catalogue_release(&s->catalogue);
	buffer_release(&s->catalogue_contents);
	free(s->joined);
	s->endless = s->map = (struct plan_map){ 0 };
	s->layout = (struct layout){ 0 };
	s->header = (struct classic_header){ 0 };
	s->plan = (struct plan){ 0 };
	s->catalogue = (struct archive_catalogue){ 0 };
	s->joined = NULL;
	s->has_catalogue = s->head_is_copy = false;
}

static int find_archive(struct salvage *s)
{
	NC3Z_TRY(salvage_join(s));
	NC3Z_TRY(salvage_plan(s));
	return salvage_map(s);
}

/* Whether the archive found has the blocks of the largest fragment. */
static bool has_most(const struct salvage *s)
{
	for (size_t i = 0; i < s->finds.nfound; i++)
		if (s->finds.found[i].fragment == s->most &&
		    s->finds.found[i].is_unproven)
			return false;
	return true;
}

static void drop_unproven(struct salvage *s)
{
	size_t n = 0;

	for (size_t i = 0; i < s->finds.nfound; i++) {
		const struct salvage_found_block *p = &s->finds.found[i];

		if (p->is_unproven)
			s->finds.fragments[p->fragment].has_unproven = true;
		else
			s->finds.found[n++] = *p;
	}
	s->finds.nfound = n;
}

static int salvage(struct salvage *s, struct nc3z_sink *out,
		   struct nc3z_salvage_report *report)
{
	int status;

	NC3Z_TRY(scan_all(s));
	s->by_end = s->options->archive == 0;
	status = find_archive(s);
	if (s->by_end && (status != NC3Z_OK || !has_most(s))) {
		s->by_end = false;
		forget_archive(s);
		status = find_archive(s);
	}
	if (status != NC3Z_OK)
		return status;
	drop_unproven(s);
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
	buffer_release(&s->head);
	buffer_release(&s->plan_bytes);
	forget_archive(s);
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
