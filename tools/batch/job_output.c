/* SPDX-License-Identifier: MIT */
/*
 * The output of a job: what it is called, and that it does not replace what it
 * must not.
 *
 * An input that was found in a directory has its output made in that directory,
 * not in what has the directory's name by then.
 */
#define _GNU_SOURCE /* fstatat() */
#include "batch/job_output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "batch/job_found.h"
#include "common/suffix.h"
#include "batch/mirror.h"
#include "batch/places.h"
#include "batch/removal.h"
#include "batch/signals.h"
#include "nc3z_tools.h"

static enum exit_status lack_memory(struct job *job)
{
	job->err.status = NC3Z_ENOMEM;
	return job_refuse(job, nc3z_status_text(NC3Z_ENOMEM));
}

/*
 * What the output is called after: what comes from a URL goes where the user
 * is, what comes from a tar below that, and --output-dir has the directories
 * below those that were named.
 */
static const char *input_name(const struct job *job)
{
	const struct file_name *file = job->file;
	const char *slash = strrchr(job->name, '/');

	if (file->member)
		return file->member;
	if (job->settings->output_dir && file_was_found(file))
		return job->name + file->from_root;
	return slash && (job->is_url || job->settings->output_dir) ? slash + 1 :
								     job->name;
}

/* An ending, and the suffix in it. */
struct ending_text {
	char text[SUFFIX_NBYTES_MAX + 32];
};

static struct ending_text expand(const struct settings *s, const char *ending)
{
	size_t n = strcspn(ending, "%");
	struct ending_text to;

	snprintf(to.text, sizeof(to.text), "%.*s%s%s", (int)n, ending,
		 ending[n] ? s->suffix : "", ending + n + (ending[n] != '\0'));
	return to;
}

/* Whether the input has this ending; how many bytes are before it. */
static bool fits_ending(const struct job *job, const char *ending,
			size_t *nbytes_ret)
{
	const char *name = input_name(job);
	struct ending_text from = expand(job->settings, ending);

	*nbytes_ret = strlen(name) - strlen(from.text);
	if (job->settings->action->takes == TAKES_CLASSIC && !job->packed_as)
		return !from.text[0];
	return !from.text[0] || file_has_suffix(name, from.text);
}

/* Sets the name of the output to that of the input with another ending. */
static enum exit_status change_ending(struct job *job)
{
	const struct settings *s = job->settings;
	const struct batch_ending *ending = s->action->endings;
	const char *directory = s->output_dir ? s->output_dir : "";
	struct ending_text to;
	size_t kept, size;

	while (ending->from && !fits_ending(job, ending->from, &kept))
		ending++;
	if (!ending->from)
		return job_refuse(job, s->action->unnamed);
	to = expand(s, ending->to);
	size = strlen(directory) + kept + sizeof(to);
	job->output = malloc(size + 1);
	if (!job->output)
		return lack_memory(job);
	snprintf(job->output, size + 1, "%s%s%.*s%s", directory,
		 s->output_dir ? "/" : "", (int)kept, input_name(job), to.text);
	job->replaces_input = !s->output_dir && !ending->from[0] &&
			      !ending->to[0];
	return EXIT_DONE;
}

/* The directory of the output, where its name does not lead there. */
static enum exit_status open_directory(struct job *job)
{
	const struct settings *s = job->settings;
	const struct file_name *file = job->file;
	const char *below = input_name(job);

	if (s->output || !(s->output_dir || file->member))
		return EXIT_DONE;
	if (file->member && !files_is_below(below))
		return job_refuse(job, "this name leads elsewhere: use -o");
	job->mirror_fd = mirror_open(
		s->output_dir ? s->output_dir : ".",
		file_was_found(file) ? file->root->path : NULL, below);
	return job->mirror_fd >= 0 ? EXIT_DONE :
				     job_say(job, job->output,
					     "cannot make its directory: %s",
					     strerror(errno));
}

/* Where the name begins from which the system goes on. */
static void set_entry(struct job *job)
{
	const char *slash = strrchr(job->output, '/');

	job->entry = job->output;
	if (job->mirror_fd >= 0 && slash)
		job->entry = slash + 1;
	/* What was found has its output where it is. */
	else if (job_reads_file(job) && job->file->root)
		job->entry += job->input.name - job->file->path;
}

/* Whoever finds an archive under such a name does not know what it is. */
static void check_name(struct job *job)
{
	const struct settings *s = job->settings;
	char text[640];

	if (s->action->makes != MAKES_ARCHIVE || !s->output ||
	    file_has_suffix(s->output, s->suffix) ||
	    !(file_has_suffix(s->output, CLASSIC_SUFFIX) ||
	      file_has_suffix(s->output, ".cdf")))
		return;
	snprintf(text, sizeof(text),
		 "the archive is called %.500s, as a plain file would be; end "
		 "its name in %.50s",
		 s->output, s->suffix);
	job_warn(job, text);
}

/* Sets the name, NULL for standard output. */
static enum exit_status name_output(struct job *job)
{
	const struct settings *s = job->settings;
	enum exit_status status;

	if (job_writes_stdout(job))
		return EXIT_DONE;
	if (!job->is_stream && !s->force && s->action->takes == TAKES_CLASSIC &&
	    file_has_suffix(input_name(job), s->suffix))
		return job_refuse(job,
				  "name already has the suffix of an archive: "
				  "use -o to pack it");
	if (s->output) {
		job->output = strdup(s->output);
		status = job->output ? EXIT_DONE : lack_memory(job);
	} else {
		status = change_ending(job);
	}
	if (status == EXIT_DONE)
		status = open_directory(job);
	if (status == EXIT_DONE)
		set_entry(job);
	return status;
}

static bool stat_output(const struct job *job, int flags, struct stat *stat_ret)
{
	return fstatat(job_output_directory(job), job->entry, stat_ret,
		       flags) == 0;
}

static bool is_link(const struct job *job)
{
	const struct input *in = &job->input;
	struct stat stat;

	return fstatat(in->dir_fd, in->name, &stat, AT_SYMLINK_NOFOLLOW) == 0 &&
	       !S_ISREG(stat.st_mode);
}

/* Other than one that a run has left that was about to remove the file. */
static bool has_links(const struct job *job)
{
	struct stat now = job->input.stat;

	if (now.st_nlink > 1) {
		removal_recover((struct removal_name){ job->input.dir_fd,
						       job->input.name });
		(void)!input_stat_anew(job->input.fd, &now);
	}
	return now.st_nlink > 1;
}

/* Where --rm would destroy more than it should, it is refused beforehand. */
static enum exit_status check_removal(struct job *job)
{
	const char *slash = strrchr(job->name, '/');

	if (!job->settings->remove)
		return EXIT_DONE;
	if (!job_reads_file(job) || !job->output)
		return job_refuse(job, INPUT_NOT_REMOVED);
	if (strlen(slash ? slash + 1 : job->name) > REMOVAL_NAME_NBYTES_MAX)
		return job_refuse(job, "name is too long for --rm, which "
				       "removes files with names of up to 227 "
				       "bytes: rename it, or remove it "
				       "yourself");
	if (job->settings->remove_all)
		return EXIT_DONE;
	if (job->packed_as)
		return job_refuse(job, "is compressed, and the archive "
				       "restores only the file inside: use "
				       "--rm=all");
	if (is_link(job))
		return job_refuse(job, "is not a regular file: use --rm=all");
	if (has_links(job))
		return job_refuse(job, "has other links: use --rm=all");
	return EXIT_DONE;
}

/* An archive is replaced by another one only where that is insisted on. */
static enum exit_status check_replaced(struct job *job)
{
	if (!job->settings->force)
		return job_refuse(job, "archive would be replaced: use -f "
				       "or -o");
	if (is_link(job))
		return job_refuse(job, "not a regular file: use -o");
	if (job->input.stat.st_nlink > 1)
		job_warn(job, "has other links, which keep the old archive");
	return EXIT_DONE;
}

enum exit_status job_check_written(struct job *job)
{
	struct stat there;

	if (!stat_output(job, AT_SYMLINK_NOFOLLOW, &there))
		return EXIT_DONE;
	switch (places_find_written(&there)) {
	case WRITTEN_HERE:
		return job_refuse_same_output(job);
	case WRITTEN_SINCE:
		return job_say(job, job->output,
			       "another process has made or changed it "
			       "meanwhile: run again when that is done");
	default:
		return EXIT_DONE;
	}
}

/* Two inputs with one output would leave one of them nowhere. */
static enum exit_status check_claim(struct job *job)
{
	const char *slash = strrchr(job->entry, '/');
	char *dir =
		slash ? strndup(job->entry, (size_t)(slash - job->entry) + 1) :
			strdup(".");
	struct stat there;
	bool is_there;

	if (!dir)
		return lack_memory(job);
	is_there = fstatat(job_output_directory(job), dir, &there, 0) == 0;
	free(dir);
	/* To create the output says it better. */
	if (!is_there || job->is_claimed)
		return EXIT_DONE;
	job->is_claimed = true;
	return places_claim(&there, slash ? slash + 1 : job->entry) ?
		       job_check_written(job) :
		       job_refuse_same_output(job);
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
		return job_refuse(job, "output is the input: -o names another");
	if (is_stream(job))
		return job_refuse(job, "output is a link to a standard stream: "
				       "use -o -");
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

	/* What was looked for, and is not there, may be by then. */
	if (s->update || (s->remove && !s->force))
		return job->found.is_stale;
	if (!s->force || !s->remove || s->action->makes == MAKES_CLASSIC)
		return s->force;
	job->replaces_other = stat_output(job, AT_SYMLINK_NOFOLLOW, &there);
	return job->replaces_other;
}

enum exit_status job_refuse_existing(struct job *job)
{
	const struct settings *s = job->settings;
	bool updates = s->action->takes != TAKES_ARCHIVES ||
		       s->action->makes != MAKES_ARCHIVE;
	struct stat there;

	if (job->err.status != NC3Z_EEXIST)
		return job_fail(job, job->output);
	if (job_made_meanwhile(job))
		return EXIT_FAILED;
	if (may_replace(job) || !stat_output(job, AT_SYMLINK_NOFOLLOW, &there))
		return job_fail(job, job->output);
	job_say(job, job->output, "%s: -o names another one%s%s", job->err.text,
		S_ISREG(there.st_mode) ? ", -f replaces it" : "",
		S_ISREG(there.st_mode) && updates ?
			", --update leaves files that are done" :
			"");
	return exit_of_error(&job->err);
}

/*
 * Who may not read a tar may not read what comes out of it, whatever it says of
 * a member; of whether that is a program, a tar's own mode says nothing.
 */
static unsigned mode_of_tar(const struct job *job)
{
	char *member = NULL;
	char *tar = nc3z_tar_split(job->file->path, &member);
	struct stat like = { .st_mode = 0666, .st_gid = getegid() };
	unsigned mode;

	if (tar)
		(void)!stat(tar, &like);
	mode = like.st_mode & 0666;
	/* With an access list, the mode says nothing of the group. */
	if (tar && getxattr(tar, "system.posix_acl_access", NULL, 0) > 0)
		mode &= 0600;
	else if (like.st_gid != getegid())
		mode = (mode & 0600) | (mode & mode >> 3 & 06) * 011;
	free(tar);
	free(member);
	return mode | 0111;
}

static enum exit_status open_file(struct job *job)
{
	const struct settings *s = job->settings;
	bool is_sparse = s->sparse && s->action->makes == MAKES_CLASSIC;
	unsigned flags = (may_replace(job) ? NC3Z_SINK_REPLACE : 0) |
			 (is_sparse ? NC3Z_SINK_SPARSE : 0);
	unsigned mode = job->file->member ? mode_of_tar(job) : 0666;

	if (nc3z_sink_open_at(job_output_directory(job), job->entry, flags,
			      mode & ~s->umask, &job->out,
			      &job->err) != NC3Z_OK)
		return job_refuse_existing(job);
	signals_watch(job_output_directory(job), nc3z_sink_temporary(job->out));
	if (job_reads_file(job) &&
	    nc3z_sink_copy_attributes(job->out, job->input.fd, &job->err) !=
		    NC3Z_OK)
		return job_fail(job, job->output);
	return EXIT_DONE;
}

bool job_is_gone(struct job *job)
{
	return job->err.sys_errno == ENOENT && job->input.name &&
	       job->input.dir_fd != -1 && job_may_be_done_elsewhere(job) &&
	       name_output(job) == EXIT_DONE && job->output &&
	       job_was_done_elsewhere(job);
}

enum exit_status job_look_ahead(struct job *job)
{
	enum exit_status status = name_output(job);

	if (status == EXIT_DONE)
		status = check_removal(job);
	if (status == EXIT_DONE && job->output)
		status = check_output(job);
	return status == EXIT_DONE ? job_look_for_output(job) : status;
}

enum exit_status job_open_output(struct job *job)
{
	enum exit_status status = job_look_ahead(job);

	if (status != EXIT_DONE)
		return status;
	check_name(job);
	if (job->output)
		return open_file(job);
	return nc3z_sink_open_fd(STDOUT_FILENO, &job->out, &job->err) ==
			       NC3Z_OK ?
		       EXIT_DONE :
		       job_fail(job, "(stdout)");
}
