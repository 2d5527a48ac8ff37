/* One file: packed, restored, converted, tested or listed. */
#ifndef NC3Z_TOOLS_COMPRESS_JOB_H
#define NC3Z_TOOLS_COMPRESS_JOB_H

#include "compress/files.h"
#include "compress/input.h"
#include "common/message.h"
#include "common/progress.h"
#include "compress/settings.h"
#include "compress/stream_list.h"

struct job {
	const struct settings *settings;
	const struct file_name *file;
	unsigned nthreads;
	bool shows_progress;
	/* Results: */
	struct nc3z_summary summary;       /* all zero if nothing was done */
	struct stream_list streams;        /* of -lv; the caller's to release */
	struct nc3z_conversion conversion; /* of --dry-run */
	/* In messages; a path, unless it is_stdin or is_url; to be freed. */
	char *name;
	/* While it runs: */
	bool is_stdin;
	bool is_url;
	struct input input;    /* of a file; not of a stream or a URL */
	const char *packed_as; /* gzip, ..., or NULL: the input's own format */
	char *output;          /* NULL: standard output */
	const char *entry;     /* of it, from the input's directory on */
	struct nc3z_source *in;
	struct nc3z_sink *out;
	struct progress progress;
	struct nc3z_error err;
	bool warned;
	bool replaces_input; /* the output has the input's name */
	bool replaces_other; /* with --rm: the output is there already */
};

/* Says what went wrong, if anything did.  Nothing of the job is left open. */
enum exit_status job_run(struct job *job);

/* The settings for packing, for nc3z_pack() and nc3z_convert(). */
struct nc3z_pack_options job_pack_options(struct job *job);

/* Whether the input is a file of this machine, and so is open in 'input'. */
static inline bool job_reads_file(const struct job *job)
{
	return !job->is_stdin && !job->is_url;
}

/*
 * job_convert.c: announces the conversion of an archive and does it, or only
 * plans it.  A status of the library.
 */
int job_convert(struct job *job);
int job_plan_conversion(struct job *job);

/* job_output.c: names and opens the output. */
enum exit_status job_open_output(struct job *job);

/* job_finish.c: gives the output its name, and removes the input. */
enum exit_status job_finish_output(struct job *job);

/* Says why the job cannot be done. */
enum exit_status job_refuse(const struct job *job, const char *why);

/* Says the library's error and turns it into an exit status. */
enum exit_status job_fail(const struct job *job, const char *file);

#endif
