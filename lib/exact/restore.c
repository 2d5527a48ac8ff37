/* SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "base/options.h"
#include "exact/open.h"
#include "io/sink.h"

#define STEP_NBYTES ((size_t)1 << 18)

/* To its end, where it is checked. */
static int copy_tail(struct nc3z_source *from, struct nc3z_sink *out,
		     const struct nc3z_restore_options *options,
		     struct nc3z_error *err)
{
	uint8_t *data = malloc(STEP_NBYTES);
	int status = data ? NC3Z_OK : error_set_memory(err);
	uint64_t at = 0;
	size_t got = 1;

	while (status == NC3Z_OK && got > 0) {
		status = source_read_at(from, at, data, STEP_NBYTES, &got, err);
		if (status == NC3Z_OK && out)
			status = sink_append(out, data, got, err);
		at += got;
		if (options->progress)
			options->progress(options->context, at, at);
	}
	free(data);
	return status;
}

int nc3z_restore_netcdf4(struct nc3z_source *in, struct nc3z_sink *out,
			 const struct nc3z_restore_options *options,
			 struct nc3z_summary *summary_ret,
			 struct nc3z_error *err)
{
	struct nc3z_restore_options own;
	struct nc3z_source *original;
	struct nc3z_summary summary;
	int status;

	nc3z_restore_options_init(&own);
	NC3Z_TRY(options_copy(&own, sizeof(own), options, err));
	NC3Z_TRY(nc3z_source_open_netcdf4(in, &own, &original, err));
	if (out)
		sink_take_after(out, in);
	status = nc3z_summarize_netcdf4(in, &summary, err);
	if (status == NC3Z_OK)
		status = copy_tail(original, out, &own, err);
	if (status == NC3Z_OK && summary_ret)
		*summary_ret = summary;
	nc3z_source_close(original);
	return status;
}
