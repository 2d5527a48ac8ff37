/* SPDX-License-Identifier: MIT */
/* One file: packed, restored, converted, tested or listed. */
#ifndef NC3Z_TOOLS_COMPRESS_JOB_H
#define NC3Z_TOOLS_COMPRESS_JOB_H

#include "common/message.h"
#include "common/progress.h"
#include "compress/files.h"
#include "compress/input.h"
#include "compress/outcome.h"
#include "compress/settings.h"
#include "compress/stream_list.h"
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
	unsigned nthreads;
	bool shows_progress;
	/* Results: */
	struct nc3z_summary summary;       /* all zero if nothing was done */
	struct stream_list streams;        /* of -lv; the caller's to release */
	struct nc3z_conversion conversion; /* of --dry-run */
	struct nc3z_estimate estimate;     /* of --dry-run, when packing */
	struct outcome outcome;            /* to be released */
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
	struct nc3z_sink *out;
	struct progress progress;
	struct nc3z_error err;
	bool warned;
	bool replaces_input; /* the output has the input's name */
	bool replaces_other; /* with --rm: the output is there already */
	bool is_claimed;     /* no other job has this output */
	bool is_again;       /* somebody else made the output meanwhile */
};

/* Says what went wrong, if anything did.  Input and output are closed. */
enum exit_status job_run(struct job *job);

/* Closes what is left for reports, and frees them. */
void job_release(struct job *job);

/* What the settings say of packing, for nc3z_pack() and nc3z_convert(). */
struct nc3z_pack_options job_pack_options(struct job *job);

/* The same of restoring and verifying. */
struct nc3z_restore_options job_restore_options(struct job *job);

/*
 * Whether the input is a file of this machine, not one inside another, and so
 * is open in 'input'.
 */
static inline bool job_reads_file(const struct job *job)
{
	return !job->is_stream && !job->is_url && !job->file->member;
}

/* Opens the input. */
enum exit_status job_open_input(struct job *job);

/*
 * Whether an error is that of a file that was not meant, and skips it: it was
 * found in a directory and is no classic file.
 */
bool job_skips(struct job *job);

/* job_read.c: what writes no file: testing, listing, planning. */
enum exit_status job_read(struct job *job);

/*
 * job_convert.c: announces the conversion of an archive and does it, or only
 * plans it.  A status of the library.
 */
int job_convert(struct job *job);
int job_plan_conversion(struct job *job);

/* job_output.c: names the output, and opens it if it has to be written. */
enum exit_status job_open_output(struct job *job);

/* The directory in which the output's entry is, as openat() has it. */
int job_output_directory(const struct job *job);

/*
 * job_found.c: looks at an output that is there already.  With EXIT_DONE it is
 * to be written, unless the outcome is OUTCOME_FOUND.
 */
enum exit_status job_look_for_output(struct job *job);

/*
 * job_older.c: whether the input has every byte of an archive's original, which
 * then is an older state of this file, or this state.
 */
bool job_has_grown_from(struct job *job, int archive_fd,
			const struct nc3z_summary *archive);

/* Whether that is still the file of this name, as it was. */
bool job_found_is_same(const struct job *job);

/*
 * Whether somebody else may have made the output while this job made its own:
 * then the job is done once more, from the beginning.
 */
bool job_made_meanwhile(struct job *job);

/* Makes sure that an output that was found is on the disk, before --rm. */
enum exit_status job_secure_found(struct job *job);

/* job_finish.c: gives the output its name, and removes the input. */
enum exit_status job_finish_output(struct job *job);

/* The same where the output was there. */
enum exit_status job_finish_found(struct job *job);

/* The SHA-256 of what the input holds, read once more; a library status. */
int job_digest_input(struct job *job, unsigned char sha256_ret[32]);

/* job_say.c */

/* An error about a file, which the report keeps; EXIT_FAILED. */
enum exit_status job_say(struct job *job, const char *file, const char *format,
			 ...) __attribute__((format(printf, 3, 4)));

/* A warning about the input. */
void job_warn(struct job *job, const char *text);

/* Says why the job cannot be done. */
enum exit_status job_refuse(struct job *job, const char *why);

/* Says the library's error and turns it into an exit status. */
enum exit_status job_fail(struct job *job, const char *file);

#endif
