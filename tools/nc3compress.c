/*
 * nc3compress: packs netCDF classic files, restores, tests and lists archives.
 *
 * Each operand is one job.  A job that fails says why, leaves no output, and
 * the next one goes on; the exit status is that of the worst.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "message.h"
#include "settings.h"

struct job {
	const struct settings *settings;
	const char *name; /* in messages */
	bool is_stdin;
	char *output; /* NULL: standard output */
	struct nc3z_source *in;
	struct nc3z_sink *out;
	struct nc3z_summary summary;
	struct nc3z_error err;
	bool warned;
};

/* The graver of two; damage is graver than failure, that than a warning. */
static enum exit_status worse(enum exit_status a, enum exit_status b)
{
	static const int gravity[] = {
		[EXIT_DONE] = 0,    [EXIT_WARNED] = 1, [EXIT_FAILED] = 2,
		[EXIT_DAMAGED] = 3, [EXIT_USAGE] = 4,
	};

	return gravity[a] >= gravity[b] ? a : b;
}

static enum exit_status fail(const struct job *job)
{
	message_error(job->name, "%s", job->err.text);
	return job->err.status == NC3Z_EDAMAGED ? EXIT_DAMAGED : EXIT_FAILED;
}

static void on_warning(void *context, const char *text)
{
	struct job *job = context;

	job->warned = true;
	if (!job->settings->quiet)
		message_warning(job->name, "%s", text);
}

static bool has_suffix(const char *name)
{
	size_t n = strlen(name), suffix = strlen(SUFFIX);

	return n > suffix && name[n - suffix - 1] != '/' &&
	       strcmp(name + n - suffix, SUFFIX) == 0;
}

/* The name of the output, from -o or from the name of the input. */
static enum exit_status name_output(struct job *job)
{
	const struct settings *s = job->settings;
	size_t n = strlen(job->name);

	if (s->to_stdout || (job->is_stdin && !s->output) ||
	    (s->output && strcmp(s->output, "-") == 0))
		return EXIT_DONE;
	job->output =
		malloc((s->output ? strlen(s->output) : n) + sizeof(SUFFIX));
	if (!job->output) {
		message_error(job->name, "out of memory");
		return EXIT_FAILED;
	}
	if (s->output) {
		strcpy(job->output, s->output);
	} else if (s->action == ACTION_PACK) {
		strcpy(job->output, job->name);
		strcat(job->output, SUFFIX);
	} else if (has_suffix(job->name)) {
		memcpy(job->output, job->name, n - strlen(SUFFIX));
		job->output[n - strlen(SUFFIX)] = '\0';
	} else {
		message_error(job->name,
			      "name does not end in " SUFFIX ": use -o or -c");
		return EXIT_FAILED;
	}
	return EXIT_DONE;
}

static enum exit_status open_input(struct job *job)
{
	int status =
		job->is_stdin ?
			nc3z_source_open_fd(STDIN_FILENO, &job->in, &job->err) :
			nc3z_source_open_path(job->name, &job->in, &job->err);

	return status == NC3Z_OK ? EXIT_DONE : fail(job);
}

/* Permissions of the input go over to the output. */
static unsigned output_mode(const struct job *job)
{
	mode_t mask = umask(0);
	struct stat stat_in;

	umask(mask);
	if (job->is_stdin || stat(job->name, &stat_in) != 0)
		return 0666 & ~(unsigned)mask;
	return (unsigned)stat_in.st_mode & 0777;
}

static enum exit_status open_output(struct job *job)
{
	const struct settings *s = job->settings;
	unsigned flags = s->force ? NC3Z_SINK_REPLACE : 0;
	int status;

	if (!job->output) {
		if (s->action == ACTION_PACK && !s->force &&
		    isatty(STDOUT_FILENO)) {
			message_error(NULL, "archive is not written to a "
					    "terminal; -f does it all the "
					    "same");
			return EXIT_FAILED;
		}
		status = nc3z_sink_open_fd(STDOUT_FILENO, &job->out, &job->err);
	} else {
		status = nc3z_sink_open_path(job->output, flags,
					     output_mode(job), &job->out,
					     &job->err);
	}
	if (status == NC3Z_OK)
		return EXIT_DONE;
	message_error(job->output, "%s", job->err.text);
	return EXIT_FAILED;
}

static int convert(struct job *job)
{
	struct nc3z_pack_options options = job->settings->pack;
	int status;

	options.warn = on_warning;
	options.warn_context = job;
	status = job->settings->action == ACTION_PACK ?
			 nc3z_pack(job->in, job->out, &options, &job->summary,
				   &job->err) :
			 nc3z_restore(job->in, job->out, &job->summary,
				      &job->err);
	if (status == NC3Z_OK)
		status = nc3z_sink_commit(job->out, &job->err);
	return status;
}

static double ratio_of(const struct nc3z_summary *s)
{
	return (double)s->original_nbytes / (double)s->archive_nbytes;
}

/* Packs or restores one file. */
static enum exit_status run_convert(struct job *job)
{
	enum exit_status status = name_output(job);

	if (status == EXIT_DONE && job->settings->action == ACTION_PACK &&
	    !job->is_stdin && !job->settings->force && has_suffix(job->name)) {
		message_error(job->name, "has the suffix " SUFFIX " already");
		return EXIT_FAILED;
	}
	if (status == EXIT_DONE)
		status = open_input(job);
	if (status == EXIT_DONE)
		status = open_output(job);
	if (status != EXIT_DONE)
		return status;
	if (convert(job) != NC3Z_OK)
		return fail(job);
	if (job->settings->verbose)
		fprintf(stderr,
			"nc3compress: %s: %" PRIu64 " bytes, archive %" PRIu64
			" bytes, ratio %.2f\n",
			job->name, job->summary.original_nbytes,
			job->summary.archive_nbytes, ratio_of(&job->summary));
	return job->warned ? EXIT_WARNED : EXIT_DONE;
}

static enum exit_status run_test(struct job *job)
{
	enum exit_status status = open_input(job);

	if (status != EXIT_DONE)
		return status;
	if (nc3z_verify(job->in, &job->summary, &job->err) != NC3Z_OK)
		return fail(job);
	if (job->settings->verbose)
		fprintf(stderr, "nc3compress: %s: whole\n", job->name);
	return EXIT_DONE;
}

/* Sums of all archives listed, for the last line of the table. */
struct totals {
	struct nc3z_summary sum;
	unsigned nfiles;
};

static void print_head(const struct settings *s)
{
	printf("%15s %15s %7s  ", "original", "archive", "ratio");
	if (s->verbose)
		printf("%8s %8s  %-64s  ", "streams", "blocks", "SHA-256");
	puts("name");
}

static void print_line(const struct settings *s,
		       const struct nc3z_summary *summary, const char *name)
{
	printf("%15" PRIu64 " %15" PRIu64 " %7.2f  ", summary->original_nbytes,
	       summary->archive_nbytes, ratio_of(summary));
	if (s->verbose) {
		printf("%8" PRIu32 " %8" PRIu64 "  ", summary->nstreams,
		       summary->nblocks);
		for (size_t i = 0; i < sizeof(summary->sha256); i++)
			printf("%02x", summary->sha256[i]);
		printf("  ");
	}
	puts(name);
}

static enum exit_status run_list(struct job *job, struct totals *totals)
{
	enum exit_status status = open_input(job);

	if (status != EXIT_DONE)
		return status;
	if (nc3z_summarize(job->in, &job->summary, &job->err) != NC3Z_OK)
		return fail(job);
	if (totals->nfiles++ == 0)
		print_head(job->settings);
	print_line(job->settings, &job->summary, job->name);
	totals->sum.original_nbytes += job->summary.original_nbytes;
	totals->sum.archive_nbytes += job->summary.archive_nbytes;
	return EXIT_DONE;
}

static enum exit_status run(const struct settings *settings, const char *name,
			    struct totals *totals)
{
	bool is_stdin = strcmp(name, "-") == 0;
	struct job job = {
		.settings = settings,
		.name = is_stdin ? "(stdin)" : name,
		.is_stdin = is_stdin,
	};
	enum exit_status status;

	if (settings->action == ACTION_LIST)
		status = run_list(&job, totals);
	else if (settings->action == ACTION_TEST)
		status = run_test(&job);
	else
		status = run_convert(&job);
	nc3z_sink_close(job.out);
	nc3z_source_close(job.in);
	free(job.output);
	return status;
}

static enum exit_status run_all(const struct settings *settings, int argc,
				char **argv, int first)
{
	enum exit_status status = EXIT_DONE;
	struct totals totals = { 0 };

	if (first == argc)
		status = run(settings, "-", &totals);
	for (int i = first; i < argc; i++)
		status = worse(run(settings, argv[i], &totals), status);
	if (totals.nfiles > 1 && !settings->verbose)
		print_line(settings, &totals.sum, "(totals)");
	return status;
}

int main(int argc, char **argv)
{
	enum exit_status status = EXIT_DONE;
	struct settings settings;
	int first;

	message_init("nc3compress");
	first = settings_parse(&settings, argc, argv);
	if (first < 0)
		return EXIT_USAGE;
	if (settings.action == ACTION_HELP)
		settings_print_help();
	else if (settings.action == ACTION_VERSION)
		puts("nc3compress " NC3Z_VERSION);
	else
		status = run_all(&settings, argc, argv, first);
	if (fflush(stdout) != 0 || ferror(stdout)) {
		message_error(NULL, "cannot write standard output: %s",
			      strerror(errno));
		status = worse(EXIT_FAILED, status);
	}
	return status;
}
