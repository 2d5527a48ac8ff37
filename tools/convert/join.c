/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* AT_FDCWD */
#include "convert/join.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "batch/input_list.h"
#include "common/progress.h"
#include "batch/signals.h"
#include "nc3z_tools.h"

struct join {
	const struct settings *settings;
	struct input_list inputs;
	struct nc3z_sink *out;
	struct progress progress;
	struct nc3z_error err;
};

static enum exit_status fail(const struct join *j, const char *file)
{
	message_error(file, "%s", j->err.text);
	return exit_of_error(&j->err);
}

static bool open_inputs(struct join *j)
{
	for (int i = 0; i < j->inputs.count; i++)
		if (inputs_open(&j->inputs, i, j->settings->output, &j->err) !=
		    NC3Z_OK) {
			fail(j, j->inputs.names[i]);
			return false;
		}
	return true;
}

static void on_progress(void *context, uint64_t original_nbytes,
			uint64_t archive_nbytes)
{
	struct join *j = context;

	progress_update(&j->progress, original_nbytes, archive_nbytes);
}

/* Times and permissions of the parts are those of the original. */
static enum exit_status open_output(struct join *j)
{
	const struct settings *s = j->settings;

	if (inputs_open_sink(&j->inputs, s->output, s->force, &j->out,
			     &j->err) != NC3Z_OK)
		return fail(j, s->output);
	signals_watch(AT_FDCWD, nc3z_sink_temporary(j->out));
	return EXIT_DONE;
}

static enum exit_status write_archive(struct join *j)
{
	const struct input_list *inputs = &j->inputs;
	struct nc3z_pack_options options;
	size_t input;

	nc3z_pack_options_init(&options);
	options.context = j;
	options.progress = on_progress;
	progress_begin(&j->progress, j->settings->output, 0, false);
	if (nc3z_join(inputs->sources, (size_t)inputs->count, j->out, &options,
		      &input, &j->err) != NC3Z_OK)
		return fail(j, input < (size_t)inputs->count ?
				       inputs->names[input] :
				       j->settings->output);
	progress_clear();
	return EXIT_DONE;
}

/* The bytes that blocks give are those that the SHA-256 was made of. */
static enum exit_status verify(struct join *j)
{
	struct nc3z_restore_options options;
	struct nc3z_source *written;
	int status;

	nc3z_restore_options_init(&options);
	options.nthreads = j->settings->nthreads;
	options.max_memory_nbytes = j->settings->max_memory_nbytes;
	if (nc3z_source_open_sink(j->out, &written, &j->err) != NC3Z_OK)
		return fail(j, j->settings->output);
	status = nc3z_verify(written, &options, NULL, &j->err);
	nc3z_source_close(written);
	return status == NC3Z_OK ? EXIT_DONE : fail(j, j->settings->output);
}

static enum exit_status join(struct join *j)
{
	const struct settings *s = j->settings;
	enum exit_status status;

	if (!open_inputs(j))
		return EXIT_FAILED;
	status = open_output(j);
	if (status == EXIT_DONE)
		status = write_archive(j);
	if (status == EXIT_DONE)
		status = verify(j);
	if (status != EXIT_DONE)
		return status;
	if (nc3z_sink_sync(j->out, &j->err) != NC3Z_OK ||
	    nc3z_sink_commit(j->out, &j->err) != NC3Z_OK)
		return fail(j, s->output);
	if (s->verbose)
		message_note(s->output, "joined, and whole");
	return EXIT_DONE;
}

enum exit_status join_run(const struct settings *settings, int ninputs,
			  char **inputs)
{
	struct join j = { .settings = settings };
	enum exit_status status;

	if (!inputs_init(&j.inputs, ninputs, inputs))
		message_out_of_memory();
	signals_start(false);
	status = join(&j);
	if (j.out)
		signals_unwatch(nc3z_sink_temporary(j.out));
	nc3z_sink_close(j.out);
	inputs_close(&j.inputs);
	return status;
}
