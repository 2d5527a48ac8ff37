/* SPDX-License-Identifier: MIT */
/*
 * One file of a run, and what it has to say: to people at once, to reports at
 * its end.
 */
#ifndef NC3Z_TOOLS_BATCH_JOB_H
#define NC3Z_TOOLS_BATCH_JOB_H

#include "batch/action.h"
#include "batch/files.h"
#include "batch/input.h"
#include "common/progress.h"
#include "nc3z_tools.h"

/* A file that has the name of the output. */
struct found_output {
	int fd; /* -1: none, or it does not matter */
	struct stat
		stat;  /* when it was opened, or got its name from this job */
	bool is_stale; /* to be replaced, if it is still that file then */
};

struct job {
	const struct settings *settings;
	const struct file_name *file;
	size_t nfiles; /* of the run */
	unsigned nthreads;
	bool shows_progress;
	/* Results: */
	struct nc3z_summary summary; /* all zero if nothing was done */
	struct outcome outcome;
	/* In messages; a path where job_reads_file(); to be freed. */
	char *name;
	/* While it runs: */
	bool is_stream; /* standard input, or a pipe that has a name */
	bool is_url;
	struct input input;    /* where job_reads_file() */
	const char *packed_as; /* gzip, ..., or NULL: the input's own format */
	char *output;          /* NULL: standard output */
	const char *entry;     /* of it, from the output's directory on */
	int mirror_fd;         /* that directory, with --output-dir, or -1 */
	struct found_output found; /* what has the output's name */
	struct nc3z_source *in;
	struct nc3z_source *older; /* an archive to copy from, or NULL */
	bool older_is_kept;        /* the input has to have all of it */
	struct nc3z_sink *out;
	struct progress progress;
	struct nc3z_error err;
	bool warned;
	bool replaces_input; /* the output has the input's name */
	bool replaces_other; /* with --rm: the output is there already */
	bool is_claimed;     /* no other job has this output */
	bool is_again;       /* somebody else made the output meanwhile */
	bool packs_anew;     /* what is there cannot be copied from */
	bool begins_again;   /* because of one of the two */
};

/* Before it does anything; the first five fields are set. */
void job_begin(struct job *job);

/* Closes input and output; reports can still be made. */
void job_end(struct job *job);

/* Forgets the output, and begins once more. */
void job_begin_again(struct job *job);

/* After reports, too. */
void job_release(struct job *job);

/* Whether the output is standard output. */
static inline bool job_writes_stdout(const struct job *job)
{
	return job->settings->to_stdout ||
	       (job->is_stream && !job->settings->output);
}

/* The settings for nc3z_pack() and nc3z_convert(). */
struct nc3z_pack_options job_pack_options(struct job *job);

/* The same for nc3z_restore() and nc3z_verify(). */
struct nc3z_restore_options job_restore_options(struct job *job);

/*
 * Whether the input is a file of this machine, not one inside another, and so
 * is open in 'input'.
 */
static inline bool job_reads_file(const struct job *job)
{
	return !job->is_stream && !job->is_url && !job->file->member;
}

/* The directory in which the output's entry is, as openat() has it. */
int job_output_directory(const struct job *job);

/* An error about a file, which the report keeps; EXIT_FAILED. */
enum exit_status job_say(struct job *job, const char *file, const char *format,
			 ...) __attribute__((format(printf, 3, 4)));

/* A warning about the input. */
void job_warn(struct job *job, const char *text);

/* Says why the job cannot be done. */
enum exit_status job_refuse(struct job *job, const char *why);
/* The same where another input of the run has this output. */
enum exit_status job_refuse_same_output(struct job *job);

/* Says the library's error and turns it into an exit status. */
enum exit_status job_fail(struct job *job, const char *file);

#endif
