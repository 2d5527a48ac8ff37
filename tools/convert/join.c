/* SPDX-License-Identifier: MIT */
#include "convert/convert.h"

static enum exit_status write_archive(struct merge *m)
{
	struct nc3z_pack_options options;
	size_t n = (size_t)m->count, input;

	nc3z_pack_options_init(&options);
	options.context = &m->progress;
	options.progress = progress_update;
	progress_begin(&m->progress, m->settings->output, 0, false);
	if (nc3z_join(m->sources, n, m->out, &options, &input, &m->err) !=
	    NC3Z_OK)
		return merge_fail(m, input < n ? m->names[input] :
						 m->settings->output);
	progress_clear();
	return EXIT_DONE;
}

/* The bytes that blocks give are those that the SHA-256 was made of. */
static int verify(struct merge *m)
{
	struct nc3z_restore_options options;
	struct nc3z_source *written;
	int status;

	nc3z_restore_options_init(&options);
	options.nthreads = m->settings->nthreads;
	options.max_memory_nbytes = m->settings->max_memory_nbytes;
	if (nc3z_source_open_sink(m->out, &written, &m->err) != NC3Z_OK)
		return m->err.status;
	status = nc3z_verify(written, &options, NULL, &m->err);
	nc3z_source_close(written);
	return status;
}

enum exit_status join_make(struct merge *m)
{
	const struct settings *s = m->settings;
	enum exit_status status = write_archive(m);

	if (status != EXIT_DONE)
		return status;
	if (verify(m) != NC3Z_OK ||
	    nc3z_sink_sync(m->out, &m->err) != NC3Z_OK ||
	    nc3z_sink_commit(m->out, &m->err) != NC3Z_OK)
		return merge_fail(m, s->output);
	if (s->verbose)
		message_note(s->output, "joined, and whole");
	return EXIT_DONE;
}
