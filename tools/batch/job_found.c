/* SPDX-License-Identifier: MIT */
/*
 * An output that is there already: --update leaves it if it is done, and with
 * --rm it lets the input go if it holds the same original, which is proven by
 * reading both.
 *
 * The file is opened once and looked at by its descriptor.  It is replaced only
 * if it still has the name, and is as it was, when the new output gets that.
 */
#define _GNU_SOURCE /* AT_SYMLINK_NOFOLLOW, leases */
#include "batch/job_found.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/sync.h"
#include "batch/job_input.h"
#include "batch/job_older.h"
#include "nc3z_tools.h"

/* How long another run, which has made the output, may have it open. */
#define WAIT_SECONDS 10.0
#define PAUSE_NS 5000000L

#define FOUND_FLAGS (O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW)

/* Whether what another run has made meanwhile is as good as made here. */
static bool takes_what_is_there(const struct settings *s)
{
	return s->update || (s->remove && !s->force);
}

/* The time that what is restored gets; false if that has none. */
static bool time_of_input(const struct job *job, struct timespec *time_ret)
{
	if (!job_reads_file(job))
		return nc3z_source_member_time(job->in, time_ret);
	*time_ret = job->input.stat.st_mtim;
	return true;
}

static bool is_looked_for(const struct job *job)
{
	struct timespec unused;

	return job->output && !job->replaces_input &&
	       time_of_input(job, &unused) &&
	       takes_what_is_there(job->settings);
}

bool job_stat_output(const struct job *job, struct stat *stat_ret)
{
	/* To open it makes NFS ask the server. */
	int fd = openat(job_output_directory(job), job->entry, FOUND_FLAGS);
	bool is_there = fd >= 0 && input_stat_anew(fd, stat_ret);

	if (fd >= 0)
		close(fd);
	return is_there;
}

/*
 * A run that was killed may have left a temporary file beside the output.
 * Asking for an output that is there removes it.  Where that is another name of
 * the output, this changes its times.
 */
static void remove_left(const struct job *job)
{
	struct nc3z_sink *sink;

	if (nc3z_sink_open_at(job_output_directory(job), job->entry, 0, 0600,
			      &sink, NULL) == NC3Z_OK)
		nc3z_sink_close(sink);
}

/* As linux/magic.h has it. */
#define FUSE_MAGIC 0x65735546

/*
 * Whether a file is one that nc3mount shows: it may be made of an archive while
 * it is read, and go when that goes.
 */
static bool is_shown(const struct stat *file, int fd)
{
	struct statfs system;
	FILE *mounts;
	char *line = NULL;
	size_t line_nbytes = 0;
	unsigned major_number, minor_number;
	bool found = false;

	if (fstatfs(fd, &system) != 0 || system.f_type != FUSE_MAGIC)
		return false;
	mounts = fopen("/proc/self/mountinfo", "re");
	while (mounts && !found && getline(&line, &line_nbytes, mounts) > 0)
		found = sscanf(line, "%*d %*d %u:%u", &major_number,
			       &minor_number) == 2 &&
			makedev(major_number, minor_number) == file->st_dev &&
			strstr(line, " - fuse.nc3mount ");
	free(line);
	if (mounts)
		fclose(mounts);
	return found;
}

/* Sets the descriptor, -1 if there is no such file. */
static enum exit_status open_found(struct job *job)
{
	struct found_output *found = &job->found;

	found->fd = openat(job_output_directory(job), job->entry, FOUND_FLAGS);
	if (found->fd < 0 && errno == ENOENT)
		return EXIT_DONE;
	if (found->fd < 0 && errno == ELOOP)
		return job_say(job, job->output,
			       "exists and is a symbolic link");
	if (found->fd >= 0 && !job->settings->action->samples)
		remove_left(job);
	if (found->fd < 0 || !input_stat_anew(found->fd, &found->stat))
		return job_say(job, job->output, "cannot open: %s",
			       strerror(errno));
	if (is_shown(&found->stat, found->fd))
		return job_say(job, job->output,
			       "is not taken for a copy: nc3mount shows it, "
			       "and may make it of an archive; name an output "
			       "outside of that mount");
	if (!S_ISREG(found->stat.st_mode))
		return job_say(job, job->output,
			       "exists and is not a regular file");
	return EXIT_DONE;
}

/*
 * Outputs get the times of their inputs, of which a file system may keep fewer
 * digits.
 */
static bool has_time_of(const struct timespec *output,
			const struct timespec *input)
{
	if (output->tv_sec != input->tv_sec)
		return false;
	for (long unit = 1; unit <= 1000000000; unit *= 10)
		if (output->tv_nsec == input->tv_nsec - input->tv_nsec % unit)
			return true;
	return false;
}

static int summarize(struct job *job, int fd,
		     int (*of)(struct nc3z_source *, struct nc3z_summary *,
			       struct nc3z_error *),
		     struct nc3z_summary *summary_ret)
{
	struct nc3z_source *source;
	int status = nc3z_source_open_fd(fd, &source, &job->err);

	if (status != NC3Z_OK)
		return status;
	status = of(source, summary_ret, &job->err);
	nc3z_source_close(source);
	return status;
}

int job_summarize_found(struct job *job, int fd,
			struct nc3z_summary *summary_ret)
{
	return summarize(job, fd,
			 job->settings->action->makes == MAKES_NETCDF4 ?
				 nc3z_summarize_netcdf4 :
				 nc3z_summarize,
			 summary_ret);
}

/*
 * Whether the input is or holds what an output holds, as far as that is known
 * without reading it.
 */
static bool may_hold(struct job *job, const struct nc3z_summary *output)
{
	struct nc3z_summary input;

	/* How large the file inside a compressed one is shows only later. */
	if (job->packed_as)
		return true;
	if (job_input_is_classic(job))
		return output->original_nbytes ==
		       (uint64_t)job->input.stat.st_size;
	return summarize(job, job->input.fd, input_summarize, &input) ==
		       NC3Z_OK &&
	       input.original_nbytes == output->original_nbytes &&
	       memcmp(input.sha256, output->sha256, sizeof(input.sha256)) == 0;
}

/* What lies in the way and is no archive is not ours to replace. */
static bool is_foreign(const struct job *job, int status)
{
	return status != NC3Z_OK && status != NC3Z_EDAMAGED &&
	       !(status == NC3Z_ENOTARCHIVE && job->settings->force);
}

/*
 * Whether an output, or what is decoded of an archive in all its bytes, has
 * this SHA-256; and whether it is damaged.
 */
static bool holds(struct job *job, const unsigned char sha256[32],
		  bool *is_damaged)
{
	bool is_classic = job->settings->action->makes == MAKES_CLASSIC;
	struct nc3z_source *source;
	struct nc3z_summary found;
	int status = nc3z_source_open_fd(job->found.fd, &source, &job->err);

	if (status != NC3Z_OK)
		return false;
	status = is_classic ?
			 nc3z_source_sha256(source, found.sha256, &job->err) :
			 job_verify(job, source, &found);
	nc3z_source_close(source);
	*is_damaged = status == NC3Z_EDAMAGED;
	return status == NC3Z_OK &&
	       memcmp(found.sha256, sha256, sizeof(found.sha256)) == 0;
}

/* With --rm: the input, too. */
static bool both_hold(struct job *job, const unsigned char sha256[32],
		      bool *is_damaged)
{
	unsigned char input[32];

	return job_digest_input(job, input) == NC3Z_OK &&
	       memcmp(input, sha256, sizeof(input)) == 0 &&
	       holds(job, sha256, is_damaged);
}

/*
 * Whether this job has made an output itself, when another run was first with
 * what is there: their bytes are compared, as size and time may be the same.
 */
static bool is_ours_known(const struct job *job)
{
	return job->is_again && job->summary.archive_nbytes > 0;
}

/*
 * Whether what an output holds is an older state of the input, or this one.  An
 * archive that is converted is not taken for one that has grown.
 */
static bool is_older(struct job *job, const struct nc3z_summary *output,
		     bool is_same)
{
	return job_input_is_classic(job) ||
			       job->settings->action->takes == TAKES_NETCDF4 ?
		       job_has_grown_from(job, job->found.fd, output) :
		       is_same;
}

/* Blocks of an archive that is replaced may be those of the new one. */
static void open_older(struct job *job, bool is_kept)
{
	const struct settings *s = job->settings;

	job->older_is_kept = is_kept;
	if (!job->packs_anew && !s->action->samples &&
	    s->action->makes == MAKES_ARCHIVE)
		(void)!nc3z_source_open_fd(job->found.fd, &job->older, NULL);
}

/*
 * Whether packing will find out if the input has all that the archive has, by
 * comparing the blocks that it would copy.
 */
static bool is_compared(struct job *job)
{
	if (job->settings->action->takes != TAKES_CLASSIC || job->packed_as)
		return false;
	open_older(job, true);
	return job->older;
}

static enum exit_status look_at_archive(struct job *job)
{
	const struct settings *s = job->settings;
	struct found_output *found = &job->found;
	struct nc3z_summary summary = { 0 };
	int status = job_summarize_found(job, found->fd, &summary);
	bool is_damaged = status == NC3Z_EDAMAGED;
	bool may_be_done = status == NC3Z_OK && may_hold(job, &summary);
	bool is_done = may_be_done && has_time_of(&found->stat.st_mtim,
						  &job->input.stat.st_mtim);
	if (is_foreign(job, status))
		return job_say(job, job->output, "exists: %s", job->err.text);
	if (is_ours_known(job))
		is_done = is_done && memcmp(summary.sha256, job->summary.sha256,
					    sizeof(summary.sha256)) == 0;
	if (s->remove)
		is_done = may_be_done &&
			  both_hold(job, summary.sha256, &is_damaged);
	found->is_stale = !is_done;
	if (is_done) {
		job->summary = summary;
		return EXIT_NOTHING;
	}
	if (!s->replaces_stale && is_damaged) {
		job_say(job, job->output,
			"exists and is damaged (%s): --update=replace "
			"replaces it",
			job->err.text);
		return EXIT_DAMAGED;
	}
	if (s->replaces_stale ||
	    (!s->remove && status == NC3Z_OK &&
	     (is_compared(job) || is_older(job, &summary, may_be_done)))) {
		if (status == NC3Z_OK && !job->older)
			open_older(job, false);
		return EXIT_DONE;
	}
	return job_say(job, job->output,
		       "exists and %s: rename it to keep both, or use "
		       "--update=replace to lose it%s",
		       s->remove ? "does not restore to this input" :
				   "may be the only copy of another original",
		       s->remove ? " (or --update without --rm, if the input "
				   "has grown)" :
				   "");
}

static enum exit_status look_at_original(struct job *job)
{
	const struct settings *s = job->settings;
	struct found_output *found = &job->found;
	struct nc3z_summary summary = { 0 };
	int status = job_reads_file(job) ?
			     summarize(job, job->input.fd, input_summarize,
				       &summary) :
			     input_summarize(job->in, &summary, &job->err);
	bool is_done = summary.original_nbytes == (uint64_t)found->stat.st_size;
	struct timespec time;
	bool unused;

	if (status != NC3Z_OK)
		return job_fail(job, job->name);
	if (s->remove)
		is_done = is_done && both_hold(job, summary.sha256, &unused);
	else
		is_done = is_done && time_of_input(job, &time) &&
			  has_time_of(&found->stat.st_mtim, &time);
	if (is_ours_known(job) && !s->remove)
		is_done = is_done && holds(job, job->summary.sha256, &unused);
	found->is_stale = !is_done;
	if (is_done) {
		job->summary = summary;
		return EXIT_NOTHING;
	}
	return s->force ? EXIT_DONE :
			  job_say(job, job->output,
				  "exists and differs from the archive: "
				  "rename it to keep both, or use -f to lose "
				  "it");
}

enum exit_status job_look_for_output(struct job *job)
{
	enum exit_status status;

	if (!is_looked_for(job))
		return EXIT_DONE;
	status = open_found(job);
	if (status != EXIT_DONE || job->found.fd < 0)
		return status;
	return job->settings->action->makes == MAKES_CLASSIC ?
		       look_at_original(job) :
		       look_at_archive(job);
}

bool job_found_is_same(const struct job *job)
{
	const struct stat *was = &job->found.stat;
	struct stat now;

	return job_stat_output(job, &now) && now.st_dev == was->st_dev &&
	       now.st_ino == was->st_ino && now.st_size == was->st_size &&
	       now.st_mtim.tv_sec == was->st_mtim.tv_sec &&
	       now.st_mtim.tv_nsec == was->st_mtim.tv_nsec &&
	       now.st_ctim.tv_sec == was->st_ctim.tv_sec &&
	       now.st_ctim.tv_nsec == was->st_ctim.tv_nsec;
}

bool job_made_meanwhile(struct job *job)
{
	if (!takes_what_is_there(job->settings) || job->is_again)
		return false;
	job->is_again = true;
	job->begins_again = true;
	return true;
}

bool job_may_be_done_elsewhere(const struct job *job)
{
	const struct settings *s = job->settings;

	/* A restored file does not tell what was restored. */
	return takes_what_is_there(s) && !s->action->samples &&
	       (s->action->makes != MAKES_CLASSIC || file_was_found(job->file));
}

bool job_was_done_elsewhere(struct job *job)
{
	return !job->replaces_input && open_found(job) == EXIT_DONE &&
	       job->found.fd >= 0 &&
	       (job->settings->action->makes == MAKES_CLASSIC ||
		job_summarize_found(job, job->found.fd, &job->summary) ==
			NC3Z_OK);
}

/* Whether a file is written to, after a wait for the run that has made it. */
static bool is_written(int fd)
{
	double end = clock_seconds() + WAIT_SECONDS;
	const struct timespec pause = { .tv_nsec = PAUSE_NS };

	while (fcntl(fd, F_SETLEASE, F_RDLCK) != 0 && errno == EAGAIN) {
		if (clock_seconds() > end)
			return true;
		nanosleep(&pause, NULL);
	}
	(void)!fcntl(fd, F_SETLEASE, F_UNLCK);
	return false;
}

enum exit_status job_secure_found(struct job *job)
{
	if (is_written(job->found.fd))
		return job_say(job, job->output,
			       "somebody has it open for writing");
	if (fsync(job->found.fd) != 0 ||
	    sync_directory_of(job_output_directory(job), job->entry,
			      job->found.fd) != 0)
		return job_say(job, job->output, "cannot write: %s",
			       strerror(errno));
	if (!job_found_is_same(job))
		return job_say(job, job->output,
			       "changed while it was compared");
	return EXIT_DONE;
}
