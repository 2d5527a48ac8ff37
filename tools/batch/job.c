/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* AT_FDCWD */
#include "batch/job.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "batch/damage.h"
#include "batch/files_kind.h"
#include "batch/signals.h"
#include "common/clock.h"
#include "common/suffix.h"

/* As long as any line that the library makes, with a path. */
#define TEXT_NBYTES 8192

void job_begin(struct job *job)
{
	bool is_stdin = strcmp(job->file->path, "-") == 0;

	if (!job->name)
		job->name =
			message_name(is_stdin ? "(stdin)" : job->file->path);
	job->is_stream = is_stdin;
	job->is_url = nc3z_is_url(job->file->path);
	input_init(&job->input);
	job->found.fd = -1;
	job->mirror_fd = -1;
	job->outcome.kind = OUTCOME_FAILED;
	job->outcome.begin = clock_seconds();
}

void job_end(struct job *job)
{
	const char *temporary = job->out ? nc3z_sink_temporary(job->out) : NULL;

	signals_unwatch(temporary);
	nc3z_sink_close(job->out);
	nc3z_source_close(job->in);
	nc3z_source_close(job->older);
	job->out = NULL;
	job->in = NULL;
	job->older = NULL;
	if (job->found.fd >= 0)
		close(job->found.fd);
	if (job->mirror_fd >= 0)
		close(job->mirror_fd);
}

void job_begin_again(struct job *job)
{
	job_end(job);
	input_close(&job->input);
	free(job->output);
	job->output = NULL;
	job->begins_again = false;
	job_begin(job);
}

void job_release(struct job *job)
{
	input_close(&job->input);
	free(job->output);
	outcome_release(&job->outcome);
	free(job->name);
}

static void on_warning(void *context, const char *text)
{
	job_warn(context, text);
}

static void on_progress(void *context, uint64_t original_nbytes,
			uint64_t archive_nbytes)
{
	struct job *job = context;

	if (job->shows_progress)
		progress_update(&job->progress, original_nbytes,
				archive_nbytes);
}

struct nc3z_pack_options job_pack_options(struct job *job)
{
	const struct settings *s = job->settings;
	struct nc3z_pack_options options;

	nc3z_pack_options_init(&options);
	options.nthreads = job->nthreads;
	options.level = s->level;
	options.codec = s->codec;
	options.block_nbytes = s->block_nbytes;
	options.chunks = s->chunks.list;
	options.nchunks = s->chunks.count;
	options.max_memory_nbytes = s->max_memory_nbytes;
	options.context = job;
	options.warn = on_warning;
	options.progress = on_progress;
	options.older = job->older;
	options.older_is_kept = job->older_is_kept;
	return options;
}

/* Reports how often restoring will decode blocks. */
static void on_note(void *context, const char *text)
{
	const struct job *job = context;

	if (!job->settings->quiet)
		message_note(job->name, "%s", text);
}

struct nc3z_restore_options job_restore_options(struct job *job)
{
	struct nc3z_restore_options options;

	nc3z_restore_options_init(&options);
	options.nthreads = job->nthreads;
	options.max_memory_nbytes = job->settings->max_memory_nbytes;
	options.max_original_nbytes = job->settings->max_original_nbytes;
	options.note = on_note;
	options.context = job;
	options.progress = on_progress;
	return options;
}

int job_output_directory(const struct job *job)
{
	return job->mirror_fd >= 0 ? job->mirror_fd :
	       job->is_stream      ? AT_FDCWD :
				     job->input.dir_fd;
}

enum exit_status job_say(struct job *job, const char *file, const char *format,
			 ...)
{
	char text[TEXT_NBYTES];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	message_error(file, "%s", text);
	outcome_add_error(&job->outcome, text);
	return EXIT_FAILED;
}

void job_warn(struct job *job, const char *text)
{
	/* Before it began again. */
	for (size_t i = 0; i < job->outcome.nwarnings; i++)
		if (strcmp(job->outcome.warnings[i], text) == 0)
			return;
	job->warned = true;
	outcome_add_warning(&job->outcome, text);
	if (!job->settings->quiet)
		message_warning(job->name, "%s", text);
}

enum exit_status job_refuse(struct job *job, const char *why)
{
	return job_say(job, job->name, "%s", why);
}

enum exit_status job_refuse_same_output(struct job *job)
{
	return job_say(job, job->name,
		       "another input has the same output, %s: leave one of "
		       "them out",
		       job->output);
}

enum exit_status job_fail(struct job *job, const char *file)
{
	char where[1024];

	if (job->err.status == NC3Z_EDAMAGED && job_reads_file(job) &&
	    job->input.fd >= 0 &&
	    damage_describe(job->input.fd, &job->err, where, sizeof(where)))
		job_say(job, file, "%s: %s", job->err.text, where);
	else if (job->err.status == NC3Z_ENOTARCHIVE &&
		 file_has_suffix(job->file->path, job->settings->suffix) &&
		 files_is_classic(job->input.fd))
		job_refuse(job, FILES_MISNAMED);
	else if (job->err.is_output && job->output && file != job->output)
		job_say(job, file, "%s (%s)", job->err.text, job->output);
	else
		job_say(job, file, "%s", job->err.text);
	return exit_of_error(&job->err);
}
