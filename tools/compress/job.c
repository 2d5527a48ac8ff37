/* SPDX-License-Identifier: MIT */
#include "compress/job.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/clock.h"
#include "compress/passed.h"
#include "compress/signals.h"
#include "nc3z_tools.h"

static void on_warning(void *context, const char *text)
{
	job_warn(context, text);
}

static bool is_stdin(const struct job *job)
{
	return strcmp(job->file->path, "-") == 0;
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
static enum exit_status check_terminal(struct job *job)
{
	const struct settings *s = job->settings;
	bool writes_stdout = s->to_stdout || (job->is_stream && !s->output);
	bool writes_archive = !s->dry_run && (s->action == ACTION_PACK ||
					      s->action == ACTION_CONVERT);

	if (s->force)
		return EXIT_DONE;
	if (writes_archive && writes_stdout && isatty(STDOUT_FILENO))
		return job_say(job, NULL,
			       "refusing to write an archive to a terminal; "
			       "use -f to do so");
	if (s->action != ACTION_PACK && job->is_stream && isatty(STDIN_FILENO))
		return job_say(job, NULL,
			       "archive is not read from a terminal; try "
			       "--help");
	return EXIT_DONE;
}

/* A pipe with a name has no place beside it for an output. */
static bool lacks_output(const struct job *job)
{
	const struct settings *s = job->settings;

	return job->is_stream && !is_stdin(job) && !s->dry_run &&
	       !s->to_stdout && !s->output &&
	       (s->action == ACTION_PACK || s->action == ACTION_RESTORE ||
		s->action == ACTION_CONVERT);
}

/* Lists look here and there, all else goes from the first byte to the last. */
static int open_source(struct job *job)
{
	unsigned flags = job->settings->action == ACTION_LIST ? 0 :
								NC3Z_URL_STREAM;
	int fd = STDIN_FILENO, status = NC3Z_OK;

	if (job->file->tar)
		return nc3z_tar_open_member(job->file->tar, job->file->number,
					    flags, &job->in, &job->err);
	if (job->is_url || job->file->member)
		return nc3z_source_open_name(job->file->path, flags, &job->in,
					     &job->err);
	if (!is_stdin(job)) {
		status = input_open(&job->input, job->file, &job->err);
		fd = job->input.fd;
		job->is_stream = status == NC3Z_OK &&
				 S_ISFIFO(job->input.stat.st_mode);
	}
	return status == NC3Z_OK ?
		       nc3z_source_open_fd(fd, &job->in, &job->err) :
		       status;
}

enum exit_status job_open_input(struct job *job)
{
	int status;

	if (check_terminal(job) != EXIT_DONE)
		return EXIT_FAILED;
	if (!job->is_stream && !job_reads_file(job) &&
	    !files_can_be_read(job->settings))
		return job_refuse(job, job->file->member ?
					       "a member of a tar can be "
					       "restored, tested and listed "
					       "only" :
					       "a URL can be restored, tested "
					       "and listed only");
	status = open_source(job);
	if (status == NC3Z_OK && lacks_output(job))
		return job_refuse(job, "is a pipe: use -o or -c");
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
	struct nc3z_restore_options options = job_restore_options(job);

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

/* What a file that is no classic file is instead. */
static enum passed_kind kind_of(const struct job *job)
{
	char bytes[4];

	if (job->input.stat.st_size == 0)
		return PASSED_EMPTY;
	return pread(job->input.fd, bytes, sizeof(bytes), 0) == sizeof(bytes) &&
			       memcmp(bytes, "\211HDF", sizeof(bytes)) == 0 ?
		       PASSED_NETCDF4 :
		       PASSED_OTHER;
}

bool job_skips(struct job *job)
{
	if (!is_skipped(job))
		return false;
	job->outcome.kind = OUTCOME_SKIPPED;
	passed_over(job->settings, job->name, kind_of(job), job->err.text);
	return true;
}

/*
 * Whether the input's first bytes, unpacked, are those of a classic file, or
 * cannot be told here.
 */
static bool may_be_classic(struct job *job)
{
	struct nc3z_source *source = job->in;
	const char *packed_as;
	char bytes[3];
	size_t nbytes = 0;
	int status = NC3Z_OK;

	/* What is unpacked is read once, and in order. */
	if (job->packed_as) {
		status = nc3z_source_open_fd(job->input.fd, &source, &job->err);
		if (status != NC3Z_OK)
			return true;
		status = nc3z_source_unpack(&source, &packed_as, &job->err);
	}
	if (status == NC3Z_OK)
		status = nc3z_source_read(source, 0, bytes, sizeof(bytes),
					  &nbytes, &job->err);
	if (source != job->in)
		nc3z_source_close(source);
	if (status != NC3Z_OK)
		return status != NC3Z_EDAMAGED;
	return nbytes > 0 && memcmp(bytes, "CDF", nbytes) == 0;
}

/*
 * What lies in a directory and is no classic file is skipped before anything
 * about its output matters.
 */
static bool skips_at_once(struct job *job)
{
	struct nc3z_pack_options options = job_pack_options(job);
	struct nc3z_estimate unused;

	if (!job->file->root || job->settings->action != ACTION_PACK ||
	    may_be_classic(job))
		return false;
	/* Fails at the first bytes, and knows why. */
	return nc3z_estimate(job->in, &options, &unused, &job->err) !=
		       NC3Z_OK &&
	       job_skips(job);
}

static void say_done(const struct job *job)
{
	if (!job->settings->verbose || job->settings->is_part)
		return;
	if (job->outcome.kind == OUTCOME_FOUND)
		message_note(job->name, job->outcome.is_removed ?
						"found, removed" :
						"found");
	else
		message_note(job->name,
			     "%" PRIu64 " bytes, archive %" PRIu64
			     " bytes, ratio %.2f",
			     job->summary.original_nbytes,
			     job->summary.archive_nbytes,
			     (double)job->summary.original_nbytes /
				     (double)job->summary.archive_nbytes);
}

/* What came of it if all goes well. */
static enum outcome_kind kind_of_success(const struct settings *s)
{
	return s->action == ACTION_RESTORE ? OUTCOME_RESTORED :
	       s->action == ACTION_CONVERT ? OUTCOME_CONVERTED :
					     OUTCOME_PACKED;
}

/* An archive's SHA-256 is taken while the archive is written. */
static int begin_digest(struct job *job)
{
	const struct settings *s = job->settings;

	if (!(s->journal || s->json) || s->action == ACTION_RESTORE)
		return NC3Z_OK;
	return nc3z_sink_start_sha256(job->out, &job->err);
}

static int end_digest(struct job *job)
{
	const struct settings *s = job->settings;
	struct outcome *outcome = &job->outcome;
	struct nc3z_source *again = job->in;

	if (!(s->journal || s->json))
		return NC3Z_OK;
	if (s->action != ACTION_RESTORE) {
		outcome->has_archive_sha256 = true;
		return nc3z_sink_sha256(job->out, outcome->archive_sha256,
					&job->err);
	}
	/* What came from a pipe or a server is not read again for this. */
	if (!job_reads_file(job))
		return NC3Z_OK;
	outcome->has_archive_sha256 = true;
	return nc3z_source_sha256(again, outcome->archive_sha256, &job->err);
}

static int write_output(struct job *job, int (*write)(struct job *))
{
	int status = begin_digest(job);

	if (status == NC3Z_OK)
		status = write(job);
	return status == NC3Z_OK ? end_digest(job) : status;
}

static enum exit_status run_writing(struct job *job, int (*write)(struct job *))
{
	enum exit_status status = job_open_input(job);

	if (status != EXIT_DONE || skips_at_once(job))
		return status;
	status = job_open_output(job);
	if (status != EXIT_DONE)
		return status;
	if (job->outcome.kind != OUTCOME_FOUND &&
	    write_output(job, write) != NC3Z_OK)
		return job_skips(job) ? EXIT_DONE : job_fail(job, job->name);
	if (job->outcome.kind == OUTCOME_FOUND) {
		status = job_finish_found(job);
	} else {
		job->outcome.kind = kind_of_success(job->settings);
		status = job_finish_output(job);
	}
	if (status == EXIT_DONE)
		say_done(job);
	return job->warned ? exit_worse(EXIT_WARNED, status) : status;
}

static enum exit_status run(struct job *job)
{
	const struct settings *s = job->settings;

	switch (s->action) {
	case ACTION_CONVERT:
		return s->dry_run ? job_read(job) :
				    run_writing(job, job_convert);
	case ACTION_RESTORE:
		return run_writing(job, restore);
	case ACTION_PACK:
		return s->dry_run ? job_read(job) : run_writing(job, pack);
	default:
		return job_read(job);
	}
}

static void begin(struct job *job)
{
	input_init(&job->input);
	job->found.fd = -1;
	job->mirror_fd = -1;
	job->outcome.kind = OUTCOME_FAILED;
	job->outcome.begin = clock_seconds();
}

/* Files that are written; what reports are about stays. */
static void end(struct job *job)
{
	const char *temporary = job->out ? nc3z_sink_temporary(job->out) : NULL;

	signals_unwatch(temporary);
	nc3z_sink_close(job->out);
	nc3z_source_close(job->in);
	job->out = NULL;
	job->in = NULL;
	if (job->found.fd >= 0)
		close(job->found.fd);
	if (job->mirror_fd >= 0)
		close(job->mirror_fd);
}

enum exit_status job_run(struct job *job)
{
	enum exit_status status;

	job->is_stream = is_stdin(job);
	job->is_url = nc3z_is_url(job->file->path);
	job->name = message_name(is_stdin(job) ? "(stdin)" : job->file->path);
	begin(job);
	status = run(job);
	end(job);
	if (job->is_again) {
		/* Another run was first: look at what it has made. */
		input_close(&job->input);
		free(job->output);
		job->output = NULL;
		begin(job);
		status = run(job);
		end(job);
	}
	if (status != EXIT_DONE && status != EXIT_WARNED)
		job->summary = (struct nc3z_summary){ 0 };
	if (job->shows_progress)
		progress_clear();
	return status;
}

void job_release(struct job *job)
{
	input_close(&job->input);
	free(job->output);
	outcome_release(&job->outcome);
	stream_list_release(&job->streams);
	free(job->name);
}
