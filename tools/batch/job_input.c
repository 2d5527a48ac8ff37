/* SPDX-License-Identifier: MIT */
#include "batch/job_input.h"

#include <string.h>
#include <unistd.h>

#include "batch/passed.h"
#include "common/suffix.h"

static bool is_stdin(const struct job *job)
{
	return strcmp(job->file->path, "-") == 0;
}

/*
 * Archives are neither written to a terminal nor read from one, unless that is
 * insisted on.
 */
static enum exit_status check_terminal(struct job *job)
{
	const struct settings *s = job->settings;
	bool writes_archive = action_writes(s->action) &&
			      s->action->makes != MAKES_CLASSIC;

	if (s->force)
		return EXIT_DONE;
	if (writes_archive && job_writes_stdout(job) && isatty(STDOUT_FILENO))
		return job_say(job, NULL,
			       "refusing to write an archive to a terminal; "
			       "try --help, or use -f to do so");
	if (s->action->takes != TAKES_CLASSIC && job->is_stream &&
	    isatty(STDIN_FILENO))
		return job_say(job, NULL,
			       "refusing to read an archive from a terminal; "
			       "try --help");
	return EXIT_DONE;
}

#define CONVERTS_FILES \
	"is a pipe, and converting needs a file that can be read in any " \
	"order: make one of it first"

/*
 * Why a pipe with a name is not taken, whoever writes to it, so that nobody
 * waits for that; NULL: it is.
 */
static const char *refuse_pipe(const struct settings *s)
{
	const struct batch_action *action = s->action;

	if (action->seeks)
		return CONVERTS_FILES;
	if (action->lists || action->makes == MAKES_PART)
		return INPUT_NEEDS_FILE;
	if (action->samples)
		return "is a pipe: for an estimate, name it after < as "
		       "standard input";
	/* It has no place beside it for an output. */
	if (action_writes(action) && !s->to_stdout && !s->output)
		return "is a pipe: use -o or -c";
	return s->remove ? INPUT_NOT_REMOVED : NULL;
}

static int open_pipe(struct job *job)
{
	const char *why = refuse_pipe(job->settings);

	job->is_stream = true;
	return why ? input_refuse(&job->err, NC3Z_EINVAL, why) :
		     input_wait(&job->input, &job->err);
}

static int open_source(struct job *job)
{
	unsigned flags = job->settings->action->peeks ? 0 : NC3Z_URL_STREAM;
	int fd = STDIN_FILENO, status = NC3Z_OK;

	if (job->file->tar)
		return nc3z_tar_open_member(job->file->tar, job->file->number,
					    flags, &job->in, &job->err);
	if (job->is_url || job->file->member)
		return nc3z_source_open_name(job->file->path, flags, &job->in,
					     &job->err);
	if (!is_stdin(job)) {
		status = input_open(&job->input, job->file, &job->err);
		if (status != NC3Z_OK && S_ISDIR(job->input.stat.st_mode))
			return input_refuse(&job->err, NC3Z_EINVAL,
					    "is a directory: use -r");
		fd = job->input.fd;
		if (status == NC3Z_OK && input_is_pipe(&job->input))
			status = open_pipe(job);
	}
	return status == NC3Z_OK ?
		       nc3z_source_open_fd(fd, &job->in, &job->err) :
		       status;
}

enum exit_status job_open_input_unless(struct job *job,
				       bool (*is_done)(struct job *))
{
	const struct batch_action *action = job->settings->action;
	int status;

	if (check_terminal(job) != EXIT_DONE)
		return EXIT_FAILED;
	if (!job->is_stream && !job_reads_file(job) && !action->anywhere)
		return job_refuse(job, job->file->member ?
					       "a member of a tar can only be "
					       "restored, tested and listed: "
					       "unpack it first" :
					       "a URL can only be restored, "
					       "tested and listed: download it "
					       "first");
	status = open_source(job);
	if (status == NC3Z_OK && action->seeks &&
	    nc3z_source_nbytes(job->in) == UINT64_MAX)
		return job_refuse(job, CONVERTS_FILES);
	if (status == NC3Z_OK && action->takes == TAKES_CLASSIC)
		status = nc3z_source_unpack(&job->in, &job->packed_as,
					    &job->err);
	return status == NC3Z_OK       ? EXIT_DONE :
	       is_done && is_done(job) ? EXIT_NOTHING :
					 job_fail(job, job->name);
}

enum exit_status job_open_input(struct job *job)
{
	return job_open_input_unless(job, NULL);
}

/*
 * A file in a directory that is no classic file was not meant, nor is one that
 * is damaged before what is inside can be told.
 */
static bool is_skipped(const struct job *job)
{
	return file_was_found(job->file) &&
	       job->settings->action->takes == TAKES_CLASSIC &&
	       (job->err.status == NC3Z_ENOTCLASSIC ||
		job->err.status == NC3Z_EDAMAGED) &&
	       job->err.offset == 0;
}

/* What a file that is no classic file is instead. */
static enum passed_kind kind_of(const struct job *job)
{
	return job->input.stat.st_size == 0 ? PASSED_EMPTY :
	       input_is_hdf5(&job->input)   ? PASSED_NETCDF4 :
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
 * A file in a directory of which --rm would remove more than an archive has, or
 * nothing, stays as it is.
 */
static bool stays(struct job *job)
{
	const struct settings *s = job->settings;

	if ((!s->remove && !s->leaves_odd) || s->remove_all ||
	    (!job->packed_as && job->input.stat.st_nlink <= 1))
		return false;
	job->outcome.kind = OUTCOME_SKIPPED;
	passed_over(s, job->name,
		    job->packed_as ? PASSED_PACKED : PASSED_LINKED, NULL);
	return true;
}

bool job_input_is_classic(struct job *job)
{
	enum batch_input takes = job->settings->action->takes;

	return takes == TAKES_CLASSIC ||
	       (takes == TAKES_BOTH && may_be_classic(job));
}

/*
 * What lies in a directory and is no classic file is skipped before anything
 * about its output matters, and so is what has to stay.
 */
bool job_skips_at_once(struct job *job)
{
	struct nc3z_pack_options options = job_pack_options(job);
	struct nc3z_estimate unused;
	const struct settings *s = job->settings;

	if (!file_was_found(job->file))
		return false;
	/* Files that nobody can tell from classic ones by their names. */
	if (s->action->takes == TAKES_BOTH && !may_be_classic(job) &&
	    !file_has_suffix(job->file->path, s->suffix)) {
		job->outcome.kind = OUTCOME_SKIPPED;
		passed_over(s, job->name, kind_of(job), NULL);
		return true;
	}
	if (s->action->takes != TAKES_CLASSIC || may_be_classic(job))
		return stays(job);
	/* Fails at the first bytes, and knows why. */
	return nc3z_estimate(job->in, &options, 0, &unused, &job->err) !=
		       NC3Z_OK &&
	       job_skips(job);
}

int job_verify(struct job *job, struct nc3z_source *in,
	       struct nc3z_summary *summary_ret)
{
	struct nc3z_restore_options options;

	nc3z_restore_options_init(&options);
	options.nthreads = job->nthreads;
	options.max_memory_nbytes = job->settings->max_memory_nbytes;
	return input_restore(in, NULL, &options, summary_ret, &job->err);
}

int job_digest_input(struct job *job, unsigned char sha256_ret[32])
{
	bool is_classic = job_input_is_classic(job);
	struct nc3z_source *again;
	struct nc3z_summary found;
	const char *packed_as;
	int status = nc3z_source_open_fd(job->input.fd, &again, &job->err);

	if (status != NC3Z_OK)
		return status;
	if (job->settings->action->takes == TAKES_CLASSIC)
		status = nc3z_source_unpack(&again, &packed_as, &job->err);
	if (status == NC3Z_OK)
		status = is_classic ? nc3z_source_sha256(again, found.sha256,
							 &job->err) :
				      job_verify(job, again, &found);
	if (status == NC3Z_OK)
		memcpy(sha256_ret, found.sha256, 32);
	nc3z_source_close(again);
	return status;
}
