/*
 * The output of a job: what it is called, that it does not replace what it
 * must not, that it is verified before it gets its name, and that the input
 * goes only after that.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "compress/job.h"
#include "compress/outputs.h"
#include "compress/signals.h"

/* Endings of names that say how a file is compressed. */
static const char *const packed_suffixes[] = { ".gz", ".bz2", ".zst", ".xz" };

static enum exit_status refuse(const struct job *job, const char *why)
{
	message_error(job->name, "%s", why);
	return EXIT_FAILED;
}

/* What comes from a URL goes where the user is. */
static const char *input_name(const struct job *job)
{
	return job->is_url ? strrchr(job->name, '/') + 1 : job->name;
}

/* How much of the input's name goes into that of the output. */
static size_t kept_nbytes(const struct job *job)
{
	const char *name = input_name(job);
	size_t n = strlen(name);

	if (job->settings->action == ACTION_RESTORE)
		return n - strlen(job->settings->suffix);
	for (size_t i = 0; job->packed_as && i < 4; i++)
		if (file_has_suffix(name, packed_suffixes[i]))
			return n - strlen(packed_suffixes[i]);
	return n;
}

/* Sets the name, NULL for standard output. */
static enum exit_status name_output(struct job *job)
{
	const struct settings *s = job->settings;
	bool is_archive = file_has_suffix(input_name(job), s->suffix);
	size_t kept, size;

	if (s->to_stdout || (job->is_stdin && !s->output) ||
	    (s->output && strcmp(s->output, "-") == 0))
		return EXIT_DONE;
	if (!job->is_stdin && !s->force && s->action == ACTION_PACK &&
	    is_archive)
		return refuse(job, "name has the suffix of an archive "
				   "already");
	if (!s->output && s->action == ACTION_RESTORE && !is_archive)
		return refuse(job, "name does not have the suffix of an "
				   "archive: use -o, -c or -S");
	job->replaces_input = !s->output && s->action == ACTION_CONVERT;
	kept = s->output ? 0 : kept_nbytes(job);
	size = kept + strlen(s->suffix) + 1 +
	       (s->output ? strlen(s->output) : 0);
	job->output = malloc(size);
	if (!job->output)
		return refuse(job, "out of memory");
	snprintf(job->output, size, "%.*s%s", (int)kept, input_name(job),
		 s->output                ? s->output :
		 s->action == ACTION_PACK ? s->suffix :
					    "");
	return EXIT_DONE;
}

/* Whether two paths are one file. */
static bool is_same_file(const char *a, const char *b)
{
	struct stat sa, sb;

	return stat(a, &sa) == 0 && stat(b, &sb) == 0 &&
	       sa.st_dev == sb.st_dev && sa.st_ino == sb.st_ino;
}

/* Where --rm would destroy more than it should, it is refused beforehand. */
static enum exit_status check_removal(const struct job *job)
{
	struct stat in;

	if (!job->settings->remove)
		return EXIT_DONE;
	if (job->is_stdin || job->is_url || !job->output)
		return refuse(job, "--rm needs an input and an output file");
	if (job->settings->force)
		return EXIT_DONE;
	if (job->packed_as)
		return refuse(job, "--rm needs -f here: the archive restores "
				   "what is inside, not this file");
	if (lstat(job->name, &in) != 0 || !S_ISREG(in.st_mode))
		return refuse(job, "--rm needs -f here: not a regular file");
	if (in.st_nlink > 1)
		return refuse(job, "--rm needs -f here: file has other links");
	return EXIT_DONE;
}

/* An archive is replaced by another one only where that is insisted on. */
static enum exit_status check_replaced(const struct job *job)
{
	struct stat in;

	if (!job->settings->force)
		return refuse(job, "archive would be replaced: use -f, or -o "
				   "or -c");
	if (lstat(job->name, &in) == 0 && !S_ISREG(in.st_mode))
		return refuse(job, "not a regular file: use -o or -c");
	return EXIT_DONE;
}

/* Two inputs with one output would leave one of them nowhere. */
static enum exit_status check_output(const struct job *job)
{
	if (job->replaces_input && check_replaced(job) != EXIT_DONE)
		return EXIT_FAILED;
	if (!job->replaces_input && !job->is_stdin &&
	    is_same_file(job->name, job->output))
		return refuse(job, "output is the input");
	if (!outputs_claim(job->output))
		return refuse(job, "another input has the same output");
	return EXIT_DONE;
}

static enum exit_status open_file(struct job *job)
{
	const struct settings *s = job->settings;
	bool is_sparse = s->sparse && s->action == ACTION_RESTORE;
	unsigned flags = (s->force ? NC3Z_SINK_REPLACE : 0) |
			 (is_sparse ? NC3Z_SINK_SPARSE : 0);

	if (nc3z_sink_open_path(job->output, flags, 0666 & ~s->umask, &job->out,
				&job->err) != NC3Z_OK)
		return job_fail(job, job->output);
	signals_watch(nc3z_sink_temporary(job->out));
	if (!job->is_stdin && !job->is_url &&
	    nc3z_sink_copy_attributes(job->out, job->name, &job->err) !=
		    NC3Z_OK)
		return job_fail(job, job->output);
	return EXIT_DONE;
}

enum exit_status job_open_output(struct job *job)
{
	enum exit_status status = name_output(job);

	if (status == EXIT_DONE)
		status = check_removal(job);
	if (status == EXIT_DONE && job->output)
		status = check_output(job);
	if (status != EXIT_DONE)
		return status;
	if (job->output)
		return open_file(job);
	return nc3z_sink_open_fd(STDOUT_FILENO, &job->out, &job->err) ==
			       NC3Z_OK ?
		       EXIT_DONE :
		       job_fail(job, "(stdout)");
}

/* Reads the archive back before it has its name. */
static enum exit_status verify(struct job *job)
{
	struct nc3z_restore_options options;
	struct nc3z_source *written;
	struct nc3z_summary found;
	int status;

	nc3z_restore_options_init(&options);
	options.nthreads = job->nthreads;
	options.max_memory_nbytes = job->settings->max_memory_nbytes;
	if (nc3z_source_open_sink(job->out, &written, &job->err) != NC3Z_OK)
		return job_fail(job, job->output);
	status = nc3z_verify(written, &options, &found, &job->err);
	nc3z_source_close(written);
	if (status != NC3Z_OK)
		return job_fail(job, job->output);
	if (memcmp(found.sha256, job->summary.sha256, sizeof(found.sha256)) !=
	    0)
		return refuse(job, "archive does not hold this file");
	return EXIT_DONE;
}

/* The input is what it was: not replaced, not written to. */
static bool is_unchanged(const struct job *job)
{
	const struct stat *a = &job->before;
	struct stat b;

	return stat(job->name, &b) == 0 && a->st_dev == b.st_dev &&
	       a->st_ino == b.st_ino && a->st_size == b.st_size &&
	       a->st_mtim.tv_sec == b.st_mtim.tv_sec &&
	       a->st_mtim.tv_nsec == b.st_mtim.tv_nsec;
}

static enum exit_status remove_input(const struct job *job)
{
	if (!is_unchanged(job))
		return refuse(job, "not removed: changed since it was read");
	if (unlink(job->name) == 0)
		return EXIT_DONE;
	message_error(job->name, "cannot remove: %s", strerror(errno));
	return EXIT_FAILED;
}

enum exit_status job_finish_output(struct job *job)
{
	const struct settings *s = job->settings;
	const char *temporary = nc3z_sink_temporary(job->out);
	enum exit_status status = EXIT_DONE;

	if (job->replaces_input || (s->verify && s->action != ACTION_RESTORE))
		status = verify(job);
	if (status == EXIT_DONE && job->replaces_input && !is_unchanged(job))
		status = refuse(job, "not replaced: changed since it was read");
	if (status == EXIT_DONE &&
	    nc3z_sink_commit(job->out, &job->err) != NC3Z_OK)
		status = job_fail(job, job->output ? job->output : "(stdout)");
	signals_unwatch(temporary);
	return status == EXIT_DONE && s->remove ? remove_input(job) : status;
}
