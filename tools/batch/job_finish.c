/* SPDX-License-Identifier: MIT */
/*
 * The end of a job: the output is verified, is on disk, and is still that of
 * the input; then it gets its name, and then the input goes.
 *
 * Slow steps are done before the input is looked at once more.
 */
#define _GNU_SOURCE /* fstatat() */
#include "batch/job_finish.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "batch/job_found.h"
#include "batch/job_input.h"
#include "batch/job_output.h"
#include "batch/places.h"
#include "batch/removal.h"
#include "batch/report.h"
#include "batch/signals.h"
#include "common/clock.h"
#include "nc3z_tools.h"

/* Reads the archive back before it has its name. */
static enum exit_status verify(struct job *job)
{
	struct nc3z_source *written;
	struct nc3z_summary found;
	int status;

	if (nc3z_source_open_sink(job->out, &written, &job->err) != NC3Z_OK)
		return job_fail(job, job->output);
	status = job_verify(job, written, &found);
	nc3z_source_close(written);
	if (status != NC3Z_OK)
		return job_fail(job, job->output);
	if (memcmp(found.sha256, job->summary.sha256, sizeof(found.sha256)) !=
	    0)
		return job_refuse(job, "archive does not hold this file");
	return EXIT_DONE;
}

#define NAME_WAIT_SECONDS 1.0
#define NAME_PAUSE_NS 200000L

/* Of one input; each is read to its end for it. */
#define PROOFS_MAX 16

/*
 * Times of change differ when links or permissions have changed, and when
 * somebody has written and reset the time of modification: the bytes tell.
 */
static bool is_proven_same(struct job *job)
{
	unsigned char sha256[32];
	struct stat before;
	enum input_state state = INPUT_TOUCHED;

	/* Again, if another thread removes another link meanwhile. */
	for (int i = 0;
	     i < PROOFS_MAX && (state == INPUT_TOUCHED || state == INPUT_GONE);
	     i++) {
		if (fstat(job->input.fd, &before) != 0 ||
		    job_digest_input(job, sha256) != NC3Z_OK ||
		    memcmp(sha256, job->summary.sha256, sizeof(sha256)) != 0)
			return false;
		if (input_has_stat(&job->input, &before)) {
			job->input.stat = before;
			return true;
		}
		state = input_look(&job->input);
	}
	return false;
}

/* Another run takes a name away for a moment before it removes the file. */
static enum input_state wait_for_name(const struct job *job)
{
	const struct timespec pause = { .tv_nsec = NAME_PAUSE_NS };
	double end = clock_seconds() + NAME_WAIT_SECONDS;
	enum input_state state = input_look(&job->input);

	while (state == INPUT_RENAMED && clock_seconds() < end) {
		nanosleep(&pause, NULL);
		state = input_look(&job->input);
	}
	return state;
}

static enum input_state look_at_input(struct job *job)
{
	enum input_state state = wait_for_name(job);
	struct stat now;

	if (state == INPUT_TOUCHED)
		return is_proven_same(job) ? input_look(&job->input) :
					     INPUT_CHANGED;
	/* A name that is taken away is a change of links, too. */
	if (state == INPUT_GONE && fstat(job->input.fd, &now) == 0 &&
	    !input_has_stat(&job->input, &job->input.stat))
		return is_proven_same(job) ? INPUT_GONE : INPUT_CHANGED;
	return state;
}

/* "not done: why" of the input. */
static enum exit_status refuse_input(struct job *job, const char *done,
				     enum input_state state)
{
	return job_say(job, job->name, "not %s: %s", done,
		       state == INPUT_REPLACED ?
			       "another file has this name now" :
		       state == INPUT_RENAMED ? "it was renamed meanwhile" :
						"changed since it was read");
}

/*
 * The input is what it was when it was opened.  If it was removed meanwhile the
 * output is all that is left of it.
 */
static enum exit_status check_input(struct job *job)
{
	const char *done = job->outcome.kind == OUTCOME_FOUND ? "removed" :
			   job->replaces_input                ? "replaced" :
						 report_word(job->outcome.kind);
	enum input_state state = look_at_input(job);

	if (state == INPUT_GONE && !job->settings->remove)
		job_warn(job, "was removed while it was read");
	if (state != INPUT_SAME && state != INPUT_GONE)
		return refuse_input(job, done, state);
	if (!job->settings->remove || !input_is_written(&job->input))
		return EXIT_DONE;
	return job_say(job, job->name,
		       "not %s: somebody has it open for writing", done);
}

/*
 * Checks that the archive that --rm is about to replace holds the same
 * original, which would otherwise be lost.
 */
static enum exit_status check_other(struct job *job)
{
	int fd = openat(job_output_directory(job), job->entry,
			O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct nc3z_summary found = { 0 };
	bool is_same;

	if (fd < 0 && errno == ENOENT)
		return EXIT_DONE;
	is_same = fd >= 0 && job_summarize_found(job, fd, &found) == NC3Z_OK &&
		  found.original_nbytes == job->summary.original_nbytes &&
		  memcmp(found.sha256, job->summary.sha256,
			 sizeof(found.sha256)) == 0;
	if (fd >= 0)
		close(fd);
	if (is_same)
		return EXIT_DONE;
	return job_say(job, job->output,
		       "not replaced: --rm replaces only a file that holds "
		       "the same original");
}

/* It was to be replaced, and is another one. */
static enum exit_status refuse_found(struct job *job)
{
	return job_made_meanwhile(job) ?
		       EXIT_FAILED :
		       job_say(job, job->output,
			       "not replaced: changed meanwhile");
}

static enum exit_status check_before_name(struct job *job)
{
	enum exit_status status = EXIT_DONE;

	if (job_reads_file(job)) {
		status = check_input(job);
		input_let_go(&job->input);
	}
	if (status == EXIT_DONE && job->replaces_other)
		status = check_other(job);
	if (status == EXIT_DONE && job->found.is_stale &&
	    !job_found_is_same(job))
		status = refuse_found(job);
	if (status == EXIT_DONE && !job->is_stream)
		status = job_check_written(job);
	return status;
}

/* The output, once it has its name: --rm relies on it from now on. */
static void note_written(struct job *job)
{
	struct stat *written = &job->found.stat;
	uint64_t nbytes = job->settings->action->makes == MAKES_CLASSIC ?
				  job->summary.original_nbytes :
				  job->summary.archive_nbytes;

	*written = (struct stat){ 0 };
	if (job->settings->remove ?
		    job_stat_output(job, written) :
		    fstatat(job_output_directory(job), job->entry, written,
			    AT_SYMLINK_NOFOLLOW) == 0)
		places_add_written(written);
	/* Somebody was quick to replace it. */
	if (job->settings->remove && (uint64_t)written->st_size != nbytes)
		*written = (struct stat){ 0 };
}

static enum exit_status commit(struct job *job)
{
	if (nc3z_sink_commit(job->out, &job->err) != NC3Z_OK)
		return job->output ? job_refuse_existing(job) :
				     job_fail(job, "(stdout)");
	if (job->output && !job->is_stream)
		note_written(job);
	return EXIT_DONE;
}

/* Gives the input its name back; "what: why". */
static enum exit_status keep_input(struct job *job, struct removal *removal,
				   const char *file, const char *why)
{
	enum exit_status status = job_say(job, file, "%s", why);

	/* Somebody else may have done it. */
	if (removal_undo(removal) != 0 && errno != ENOENT)
		job_say(job, job->name, "is now called %s: %s", removal->aside,
			strerror(errno));
	free(removal->aside);
	return status;
}

/* The last looks, while the input does not have its name. */
static enum exit_status remove_aside(struct job *job, struct removal *removal)
{
	if (!job_found_is_same(job))
		return keep_input(
			job, removal, job->output,
			"was removed or changed meanwhile: input is kept");
	/* Nothing but its name has changed. */
	if (!input_has_bytes(&job->input))
		return keep_input(job, removal, job->name,
				  "not removed: changed since it was read");
	job->outcome.is_removed = removal_finish(removal) == 0;
	if (!job->outcome.is_removed)
		return errno == ENOENT ?
			       job_say(job, job->name,
				       "not removed: another run has given it "
				       "its name back") :
			       job_say(job, job->name, "cannot remove: %s",
				       strerror(errno));
	return EXIT_DONE;
}

/*
 * Removes the input, unless another run does: then it is looked at until that
 * has come to its end.
 */
static enum exit_status remove_named(struct job *job)
{
	const struct removal_name name = { job->input.dir_fd, job->input.name };
	enum input_state state = look_at_input(job);
	struct removal removal;

	for (int i = 0; i < PROOFS_MAX && state == INPUT_SAME; i++) {
		if (removal_begin(&removal, name, job->input.fd) == 0)
			return remove_aside(job, &removal);
		if (errno != ENOENT && errno != EEXIST)
			return job_say(job, job->name, "cannot remove: %s",
				       strerror(errno));
		state = look_at_input(job);
	}
	if (state != INPUT_GONE)
		return refuse_input(job, "removed", state);
	return job_found_is_same(job) ?
		       EXIT_DONE :
		       job_say(job, job->output,
			       "was removed or changed meanwhile, and so was "
			       "the input");
}

/* Who could read the input may not be able to read what is left of it. */
static void warn_of_access(struct job *job)
{
	static const char text[] =
		"has another owner or group than the input, which --rm "
		"removes: they may not be able to read it (chown gives it "
		"back)";
	const struct stat *in = &job->input.stat, *out = &job->found.stat;

	if ((in->st_uid == out->st_uid && in->st_gid == out->st_gid) ||
	    (out->st_mode & S_IROTH))
		return;
	job->warned = true;
	outcome_add_warning(&job->outcome, text);
	if (report_is_first_foreign() && !job->settings->quiet)
		message_warning(job->output, "%s", text);
}

static enum exit_status remove_input(struct job *job)
{
	/* Of several links to a file, one goes at a time. */
	static pthread_mutex_t threads = PTHREAD_MUTEX_INITIALIZER;
	enum exit_status status;

	warn_of_access(job);
	if (!report_before_removal(job))
		return job_refuse(job, "not removed: the journal cannot be "
				       "written");
	/* From here on whoever wants to write has to wait. */
	if (input_is_written(&job->input))
		return job_refuse(job, "not removed: it is open for writing");
	pthread_mutex_lock(&threads);
	status = remove_named(job);
	pthread_mutex_unlock(&threads);
	input_let_go(&job->input);
	return status;
}

enum exit_status job_finish_found(struct job *job)
{
	enum exit_status status;

	/* Or another run has removed it. */
	if (!job->settings->remove || job->input.fd < 0)
		return EXIT_DONE;
	status = check_input(job);
	input_let_go(&job->input);
	if (status == EXIT_DONE)
		status = job_secure_found(job);
	return status == EXIT_DONE ? remove_input(job) : status;
}

static bool is_read_back(const struct job *job)
{
	const struct settings *s = job->settings;

	return s->action->verifies ? job->output != NULL :
				     (s->verify || s->remove) &&
					     s->action->makes != MAKES_CLASSIC;
}

enum exit_status job_finish_output(struct job *job)
{
	const struct settings *s = job->settings;
	const char *temporary = nc3z_sink_temporary(job->out);
	enum exit_status status = EXIT_DONE;

	if (is_read_back(job))
		status = verify(job);
	if (status == EXIT_DONE &&
	    nc3z_sink_sync(job->out, &job->err) != NC3Z_OK)
		status = job_fail(job, job->output ? job->output : "(stdout)");
	if (status == EXIT_DONE && job->output)
		status = check_before_name(job);
	if (status == EXIT_DONE)
		status = commit(job);
	signals_unwatch(temporary);
	return status == EXIT_DONE && s->remove ? remove_input(job) : status;
}
