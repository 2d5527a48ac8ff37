#include "compress/job.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "compress/manifest.h"
#include "compress/passed.h"
#include "compress/signals.h"

enum exit_status job_fail(const struct job *job, const char *file)
{
	message_error(file, "%s", job->err.text);
	return exit_of_error(&job->err);
}

enum exit_status job_refuse(const struct job *job, const char *why)
{
	message_error(job->name, "%s", why);
	return EXIT_FAILED;
}

static void on_warning(void *context, const char *text)
{
	struct job *job = context;

	job->warned = true;
	if (!job->settings->quiet)
		message_warning(job->name, "%s", text);
}

static void on_progress(void *context, uint64_t original_nbytes,
			uint64_t archive_nbytes)
{
	struct job *job = context;

	if (job->shows_progress)
		progress_update(&job->progress, original_nbytes,
				archive_nbytes);
}

/*
 * Archives are neither written to a terminal nor read from one, unless that is
 * insisted on.
 */
static enum exit_status check_terminal(const struct job *job)
{
	const struct settings *s = job->settings;
	bool writes_stdout = s->to_stdout || (job->is_stdin && !s->output);
	bool writes_archive = s->action == ACTION_PACK ||
			      (s->action == ACTION_CONVERT && !s->dry_run);

	if (s->force)
		return EXIT_DONE;
	if (writes_archive && writes_stdout && isatty(STDOUT_FILENO)) {
		message_error(NULL, "refusing to write an archive to a "
				    "terminal; use -f to do so");
		return EXIT_FAILED;
	}
	if (s->action != ACTION_PACK && job->is_stdin && isatty(STDIN_FILENO)) {
		message_error(NULL, "archive is not read from a terminal; try "
				    "--help");
		return EXIT_FAILED;
	}
	return EXIT_DONE;
}

static bool reads_urls(enum compress_action action)
{
	return action == ACTION_RESTORE || action == ACTION_TEST ||
	       action == ACTION_LIST || action == ACTION_MANIFEST;
}

/* Lists look here and there, all else goes from the first byte to the last. */
static int open_source(struct job *job)
{
	unsigned flags = job->settings->action == ACTION_LIST ? 0 :
								NC3Z_URL_STREAM;
	int fd = STDIN_FILENO, status = NC3Z_OK;

	if (job->is_url)
		return nc3z_source_open_url(job->file->path, flags, &job->in,
					    &job->err);
	if (!job->is_stdin) {
		status = input_open(&job->input, job->file, &job->err);
		fd = job->input.fd;
	}
	return status == NC3Z_OK ?
		       nc3z_source_open_fd(fd, &job->in, &job->err) :
		       status;
}

static enum exit_status open_input(struct job *job)
{
	int status;

	if (check_terminal(job) != EXIT_DONE)
		return EXIT_FAILED;
	if (job->is_url && !reads_urls(job->settings->action)) {
		message_error(job->name, "a URL can be restored, tested and "
					 "listed only");
		return EXIT_FAILED;
	}
	status = open_source(job);
	if (status == NC3Z_OK && job->settings->action == ACTION_PACK)
		status = nc3z_source_unpack(&job->in, &job->packed_as,
					    &job->err);
	return status == NC3Z_OK ? EXIT_DONE : job_fail(job, job->name);
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
	return options;
}

/* What restoring will cost. */
static void on_note(void *context, const char *text)
{
	const struct job *job = context;

	if (!job->settings->quiet)
		message_note(job->name, "%s", text);
}

static struct nc3z_restore_options restore_options(struct job *job)
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

static int pack_part(struct job *job, const struct nc3z_pack_options *options)
{
	const struct timespec *mtime = &job->input.stat.st_mtim;
	const struct nc3z_part part = {
		.number = job->settings->part_number,
		.count = job->settings->part_count,
		.mtime_s = mtime->tv_sec,
		.mtime_ns = (uint32_t)mtime->tv_nsec,
	};

	return nc3z_pack_part(job->in, job->out, options, &part, &job->summary,
			      &job->err);
}

static int pack(struct job *job)
{
	struct nc3z_pack_options options = job_pack_options(job);

	progress_begin(&job->progress, job->name,
		       job->packed_as ? 0 : job->file->nbytes, false);
	if (job->settings->is_part)
		return pack_part(job, &options);
	return nc3z_pack(job->in, job->out, &options, &job->summary, &job->err);
}

static int restore(struct job *job)
{
	struct nc3z_restore_options options = restore_options(job);

	progress_begin(&job->progress, job->name, job->file->nbytes, true);
	return nc3z_restore(job->in, job->out, &options, &job->summary,
			    &job->err);
}

/*
 * A file in a directory that is no classic file was not meant, nor is one that
 * is damaged before what is inside can be told.
 */
static bool is_skipped(const struct job *job)
{
	return job->file->root && job->settings->action == ACTION_PACK &&
	       (job->err.status == NC3Z_ENOTCLASSIC ||
		job->err.status == NC3Z_EDAMAGED) &&
	       job->err.offset == 0;
}

static enum exit_status skip(const struct job *job)
{
	passed_over(job->settings, job->name, true, job->err.text);
	return EXIT_DONE;
}

static enum exit_status run_writing(struct job *job, int (*write)(struct job *))
{
	enum exit_status status = open_input(job);

	if (status == EXIT_DONE)
		status = job_open_output(job);
	if (status != EXIT_DONE)
		return status;
	if (write(job) != NC3Z_OK) {
		job->summary = (struct nc3z_summary){ 0 };
		return is_skipped(job) ? skip(job) : job_fail(job, job->name);
	}
	status = job_finish_output(job);
	if (status != EXIT_DONE)
		job->summary = (struct nc3z_summary){ 0 };
	if (status == EXIT_DONE && job->settings->verbose &&
	    !job->settings->is_part)
		message_note(job->name,
			     "%" PRIu64 " bytes, archive %" PRIu64
			     " bytes, ratio %.2f",
			     job->summary.original_nbytes,
			     job->summary.archive_nbytes,
			     (double)job->summary.original_nbytes /
				     (double)job->summary.archive_nbytes);
	return job->warned ? exit_worse(EXIT_WARNED, status) : status;
}

static enum exit_status run_plan(struct job *job)
{
	enum exit_status status = open_input(job);

	if (status != EXIT_DONE)
		return status;
	return job_plan_conversion(job) == NC3Z_OK ? EXIT_DONE :
						     job_fail(job, job->name);
}

static enum exit_status run_test(struct job *job)
{
	struct nc3z_restore_options options = restore_options(job);
	enum exit_status status = open_input(job);
	int result;

	if (status != EXIT_DONE)
		return status;
	progress_begin(&job->progress, job->name, job->file->nbytes, true);
	result = job->settings->quick ?
			 nc3z_verify_quick(job->in, &options, &job->summary,
					   &job->err) :
			 nc3z_verify(job->in, &options, &job->summary,
				     &job->err);
	if (result != NC3Z_OK)
		return job_fail(job, job->name);
	if (job->settings->verbose)
		message_note(job->name, job->settings->quick ?
						"stored bytes are whole" :
						"whole");
	return EXIT_DONE;
}

/* Two lines: of the archive, and of the file that restoring it makes. */
static enum exit_status run_manifest(struct job *job)
{
	const char *suffix = job->settings->suffix;
	unsigned char sha256[sizeof(job->summary.sha256)];
	enum exit_status status;

	if (job->is_stdin || !file_has_suffix(job->name, suffix)) {
		message_error(job->name, "a manifest needs names with the "
					 "suffix of an archive: use -S");
		return EXIT_FAILED;
	}
	status = open_input(job);
	if (status != EXIT_DONE)
		return status;
	if (nc3z_source_sha256(job->in, sha256, &job->err) != NC3Z_OK ||
	    nc3z_verify_quick(job->in, NULL, &job->summary, &job->err) !=
		    NC3Z_OK)
		return job_fail(job, job->name);
	manifest_print(sha256, job->name, strlen(job->name));
	manifest_print(job->summary.sha256, job->name,
		       strlen(job->name) - strlen(suffix));
	return EXIT_DONE;
}

static enum exit_status run_list(struct job *job)
{
	enum exit_status status = open_input(job);
	int result;

	if (status != EXIT_DONE)
		return status;
	result = nc3z_summarize(job->in, &job->summary, &job->err);
	if (result == NC3Z_OK && job->settings->verbose)
		result = stream_list_read(&job->streams, &job->in, &job->err);
	return result == NC3Z_OK ? EXIT_DONE : job_fail(job, job->name);
}

static enum exit_status run(struct job *job)
{
	switch (job->settings->action) {
	case ACTION_LIST:
		return run_list(job);
	case ACTION_TEST:
		return run_test(job);
	case ACTION_MANIFEST:
		return run_manifest(job);
	case ACTION_CONVERT:
		return job->settings->dry_run ? run_plan(job) :
						run_writing(job, job_convert);
	case ACTION_RESTORE:
		return run_writing(job, restore);
	default:
		return run_writing(job, pack);
	}
}

enum exit_status job_run(struct job *job)
{
	enum exit_status status;
	const char *temporary;

	input_init(&job->input);
	job->is_stdin = strcmp(job->file->path, "-") == 0;
	job->is_url = nc3z_is_url(job->file->path);
	job->name = message_name(job->is_stdin ? "(stdin)" : job->file->path);
	status = run(job);
	temporary = job->out ? nc3z_sink_temporary(job->out) : NULL;
	signals_unwatch(temporary);
	nc3z_sink_close(job->out);
	nc3z_source_close(job->in);
	input_close(&job->input);
	free(job->output);
	if (job->shows_progress)
		progress_clear();
	return status;
}
