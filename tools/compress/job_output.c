/*
 * The output of a job: what it is called, and that it does not replace what it
 * must not.
 *
 * An input that was found in a directory has its output made in that directory,
 * not in what has the directory's name by then.
 */
#define _GNU_SOURCE /* fstatat() */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "compress/job.h"
#include "compress/outputs.h"
#include "compress/signals.h"

/* Room for ".part-512-of-512". */
#define PART_ENDING_NBYTES 64

/* Endings of names that say how a file is compressed. */
static const char *const packed_suffixes[] = { ".gz", ".bz2", ".zst", ".xz" };

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

/* What is added to the name of a file that is packed. */
static void ending_of(const struct settings *s, char *ending, size_t nbytes)
{
	if (!s->is_part)
		snprintf(ending, nbytes, "%s", s->suffix);
	else if (s->part_number == 0)
		snprintf(ending, nbytes, "%s.part-sha256", s->suffix);
	else
		snprintf(ending, nbytes, "%s.part-%u-of-%u", s->suffix,
			 s->part_number, s->part_count);
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
		return job_refuse(job, "name has the suffix of an archive "
				       "already");
	if (!s->output && s->action == ACTION_RESTORE && !is_archive)
		return job_refuse(job, "name does not have the suffix of an "
				       "archive: use -o, -c or -S");
	job->replaces_input = !s->output && s->action == ACTION_CONVERT;
	kept = s->output ? 0 : kept_nbytes(job);
	size = kept + strlen(s->suffix) + PART_ENDING_NBYTES +
	       (s->output ? strlen(s->output) : 0);
	job->output = malloc(size);
	if (!job->output)
		return job_refuse(job, "out of memory");
	if (s->output)
		snprintf(job->output, size, "%s", s->output);
	else
		snprintf(job->output, kept + 1, "%s", input_name(job));
	if (!s->output && s->action == ACTION_PACK)
		ending_of(s, job->output + kept, size - kept);
	/* What was found has its output where it is. */
	job->entry = job->output;
	if (job_reads_file(job) && job->file->root)
		job->entry += job->input.name - job->file->path;
	return EXIT_DONE;
}

static int output_folder(const struct job *job)
{
	return job->is_stdin ? AT_FDCWD : job->input.folder_fd;
}

static bool stat_output(const struct job *job, int flags, struct stat *stat_ret)
{
	return fstatat(output_folder(job), job->entry, stat_ret, flags) == 0;
}

static bool is_same_file(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

static bool is_link(const struct job *job)
{
	const struct input *in = &job->input;
	struct stat stat;

	return fstatat(in->folder_fd, in->name, &stat, AT_SYMLINK_NOFOLLOW) !=
		       0 ||
	       !S_ISREG(stat.st_mode);
}

/* Where --rm would destroy more than it should, it is refused beforehand. */
static enum exit_status check_removal(const struct job *job)
{
	if (!job->settings->remove)
		return EXIT_DONE;
	if (job->is_stdin || job->is_url || !job->output)
		return job_refuse(job, "--rm needs an input and an output "
				       "file");
	if (job->settings->remove_all)
		return EXIT_DONE;
	if (job->packed_as)
		return job_refuse(job,
				  "--rm=all is needed here: the archive "
				  "restores what is inside, not this file");
	if (is_link(job))
		return job_refuse(job, "--rm=all is needed here: not a regular "
				       "file");
	if (job->input.stat.st_nlink > 1)
		return job_refuse(job, "--rm=all is needed here: file has "
				       "other links");
	return EXIT_DONE;
}

/* An archive is replaced by another one only where that is insisted on. */
static enum exit_status check_replaced(struct job *job)
{
	if (!job->settings->force)
		return job_refuse(job, "archive would be replaced: use -f, or "
				       "-o or -c");
	if (is_link(job))
		return job_refuse(job, "not a regular file: use -o or -c");
	if (job->input.stat.st_nlink > 1) {
		job->warned = true;
		if (!job->settings->quiet)
			message_warning(job->name, "has other links, which "
						   "keep the old archive");
	}
	return EXIT_DONE;
}

/* Two inputs with one output would leave one of them nowhere. */
static enum exit_status check_claim(const struct job *job)
{
	const char *slash = strrchr(job->entry, '/');
	char *folder =
		slash ? strndup(job->entry, (size_t)(slash - job->entry) + 1) :
			strdup(".");
	struct stat there, file;
	bool is_there, is_free;

	if (!folder)
		return job_refuse(job, "out of memory");
	is_there = fstatat(output_folder(job), folder, &there, 0) == 0;
	free(folder);
	/* To create the output says it better. */
	if (!is_there)
		return EXIT_DONE;
	is_free = outputs_claim(&there, slash ? slash + 1 : job->entry);
	if (is_free && stat_output(job, AT_SYMLINK_NOFOLLOW, &file))
		is_free = !outputs_have_written(&file);
	return is_free ? EXIT_DONE :
			 job_refuse(job, "another input has the same output");
}

/* A link to a standard stream, as /dev/stdout is, was not meant as a name. */
static bool is_stream(const struct job *job)
{
	struct stat link, target, stream;

	if (!stat_output(job, AT_SYMLINK_NOFOLLOW, &link) ||
	    !S_ISLNK(link.st_mode) || !stat_output(job, 0, &target))
		return false;
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fstat(fd, &stream) == 0 && is_same_file(&stream, &target))
			return true;
	return false;
}

static enum exit_status check_output(struct job *job)
{
	struct stat there;

	if (job->replaces_input && check_replaced(job) != EXIT_DONE)
		return EXIT_FAILED;
	if (!job->replaces_input && job_reads_file(job) &&
	    stat_output(job, 0, &there) &&
	    is_same_file(&job->input.stat, &there))
		return job_refuse(job, "output is the input");
	if (is_stream(job))
		return job_refuse(job, "output is a link to a standard stream: "
				       "use -c");
	return check_claim(job);
}

/*
 * With --rm what is replaced must hold the same original, so what is not there
 * is not replaced if it comes into being.
 */
static bool may_replace(struct job *job)
{
	const struct settings *s = job->settings;
	struct stat there;

	if (!s->force || !s->remove || s->action == ACTION_RESTORE)
		return s->force;
	job->replaces_other = stat_output(job, AT_SYMLINK_NOFOLLOW, &there);
	return job->replaces_other;
}

static enum exit_status open_file(struct job *job)
{
	const struct settings *s = job->settings;
	bool is_sparse = s->sparse && s->action == ACTION_RESTORE;
	unsigned flags = (may_replace(job) ? NC3Z_SINK_REPLACE : 0) |
			 (is_sparse ? NC3Z_SINK_SPARSE : 0);

	if (nc3z_sink_open_at(output_folder(job), job->entry, flags,
			      0666 & ~s->umask, &job->out,
			      &job->err) != NC3Z_OK)
		return job_fail(job, job->output);
	signals_watch(output_folder(job), nc3z_sink_temporary(job->out));
	if (job_reads_file(job) &&
	    nc3z_sink_copy_attributes(job->out, job->input.fd, &job->err) !=
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
