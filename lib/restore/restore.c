/* SPDX-License-Identifier: MIT */
/* Restoring and verifying: which way is taken. */
#include <inttypes.h>

#include "parallel/threads.h"
#include "restore/options.h"
#include "restore/restorer.h"

typedef int restore_way_fn(struct restorer *r);

/* Before anything is restored, if the size can be known so early. */
static int check_size(struct restorer *r)
{
	struct nc3z_summary summary;

	if (r->options->max_original_nbytes == 0 || !r->in->can_seek)
		return NC3Z_OK;
	NC3Z_TRY(nc3z_summarize(r->in, &summary, r->err));
	return restore_check_size(r->options, summary.original_nbytes, r->err);
}

/* Memory that chunks take when restored in one pass, as far as known. */
static int measure_chunks(struct restorer *r, uint64_t *nbytes_ret)
{
	struct nc3z_summary summary;

	*nbytes_ret = plan_chunks_reach_nbytes(&r->plan, PLAN_OFFSET_END);
	if (*nbytes_ret <= r->options->max_memory_nbytes || !r->in->can_seek)
		return NC3Z_OK;
	NC3Z_TRY(nc3z_summarize(r->in, &summary, r->err));
	*nbytes_ret =
		plan_chunks_reach_nbytes(&r->plan, summary.original_nbytes);
	return NC3Z_OK;
}

static int choose_way(struct restorer *r, restore_way_fn **way_ret)
{
	uint64_t max_nbytes = r->options->max_memory_nbytes, nbytes;

	NC3Z_TRY(measure_chunks(r, &nbytes));
	*way_ret = nbytes <= max_nbytes         ? restore_stream :
		   r->out && r->out->has_places ? restore_place :
						  restore_stripes;
	if (*way_ret == restore_stripes && !r->in->can_seek)
		return error_set(
			r->err, NC3Z_ELIMIT,
			"one pass takes %" PRIu64
			" bytes of memory for chunks, more than %" PRIu64,
			nbytes, max_nbytes);
	return NC3Z_OK;
}

static int restore_all(struct restorer *r)
{
	restore_way_fn *way = NULL;

	source_announce_all(r->in);
	NC3Z_TRY(restorer_begin(r));
	NC3Z_TRY(check_size(r));
	NC3Z_TRY(choose_way(r, &way));
	return way(r);
}

/* Without 'out', everything is only verified. */
static int run_restore(struct nc3z_source *in, struct nc3z_sink *out,
		       const struct nc3z_restore_options *options,
		       struct nc3z_summary *summary_ret, struct nc3z_error *err)
{
	struct restorer r = { .in = in, .out = out, .err = err };
	struct nc3z_restore_options own;
	int status;

	NC3Z_TRY(restore_options_copy(&own, options, err));
	r.options = &own;
	r.nthreads = threads_wanted(own.nthreads);
	status = restore_all(&r);
	if (status == NC3Z_OK && summary_ret) {
		*summary_ret = archive_summary(&r.trailer, &r.catalogue);
		summary_ret->nrepeats = r.nrepeats;
	}
	restorer_release(&r);
	return status;
}

int nc3z_restore(struct nc3z_source *in, struct nc3z_sink *out,
		 const struct nc3z_restore_options *options,
		 struct nc3z_summary *summary_ret, struct nc3z_error *err)
{
	NC3Z_NEED(err, in && out);
	NC3Z_TRY(sink_check_unused(out, err));
	sink_take_after(out, in);
	return run_restore(in, out, options, summary_ret, err);
}

int nc3z_verify(struct nc3z_source *in,
		const struct nc3z_restore_options *options,
		struct nc3z_summary *summary_ret, struct nc3z_error *err)
{
	NC3Z_NEED(err, in);
	return run_restore(in, NULL, options, summary_ret, err);
}

int nc3z_summarize(struct nc3z_source *in, struct nc3z_summary *summary_ret,
		   struct nc3z_error *err)
{
	NC3Z_NEED(err, in && summary_ret);

	struct archive_catalogue catalogue;
	struct archive_trailer trailer;
	struct buffer contents = { 0 };
	struct nc3z_source *source;
	int status;

	NC3Z_TRY(source_windows_open(in, &source, err));
	status =
		archive_tail_read(source, &trailer, &catalogue, &contents, err);
	if (status == NC3Z_OK) {
		*summary_ret = archive_summary(&trailer, &catalogue);
		catalogue_release(&catalogue);
	}
	buffer_release(&contents);
	source_windows_close(in, source);
	return status;
}
