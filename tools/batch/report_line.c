/* SPDX-License-Identifier: MIT */
/* Lines of JSON; nc3compress(1) says what is in them. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/clock.h"
#include "common/digest.h"
#include "common/json.h"
#include "batch/passed.h"
#include "batch/report.h"

static const struct {
	const char *result;
	const char *action; /* that comes to it */
} words[OUTCOME_END] = {
	[OUTCOME_FAILED] = { "failed", NULL },
	[OUTCOME_PACKED] = { "packed", "pack" },
	[OUTCOME_FOUND] = { "found", NULL },
	[OUTCOME_RESTORED] = { "restored", "restore" },
	[OUTCOME_VERIFIED] = { "verified", "verify" },
	[OUTCOME_CONVERTED] = { "converted", "convert" },
	[OUTCOME_ESTIMATED] = { "estimated", "estimate" },
	[OUTCOME_SKIPPED] = { "skipped", NULL },
};

const char *report_word(enum outcome_kind kind)
{
	return words[kind].result;
}

const char *report_action(const struct batch_action *action)
{
	return words[action->outcome].action;
}

size_t report_nleft(const struct report_totals *totals)
{
	size_t n = totals->nfiles;

	for (int i = 0; i < OUTCOME_END; i++)
		n -= totals->ndone[i];
	return n;
}

static void put_digest(FILE *to, const char *key, bool is_known,
		       const unsigned char sha256[32])
{
	fprintf(to, ", \"%s\": ", key);
	if (is_known) {
		putc('"', to);
		digest_put(to, sha256, 32);
		putc('"', to);
	} else {
		fputs("null", to);
	}
}

static void put_number(FILE *to, const char *key, bool is_known,
		       uint64_t number)
{
	if (is_known)
		fprintf(to, ", \"%s\": %" PRIu64, key, number);
	else
		fprintf(to, ", \"%s\": null", key);
}

/* Seconds and nanoseconds. */
static void put_timespec(FILE *to, const char *key, const struct timespec *t)
{
	long long seconds = t->tv_sec;
	long nanoseconds = t->tv_nsec;
	bool is_negative = seconds < 0;

	/* Nanoseconds count forward even before 1970. */
	if (is_negative && nanoseconds > 0) {
		seconds++;
		nanoseconds = 1000000000 - nanoseconds;
	}
	fprintf(to, ", \"%s\": \"%s%lld.%09ld\"", key, is_negative ? "-" : "",
		is_negative ? -seconds : seconds, nanoseconds);
}

/* The input when it was opened or last read: whether it is still that file. */
static void put_input(FILE *to, const struct input *input)
{
	const struct stat *stat = &input->stat;

	put_number(to, "input_bytes", input->fd >= 0, (uint64_t)stat->st_size);
	put_number(to, "inode", input->fd >= 0, stat->st_ino);
	if (input->fd >= 0) {
		put_timespec(to, "mtime", &stat->st_mtim);
		put_timespec(to, "ctime", &stat->st_ctim);
	} else {
		fputs(", \"mtime\": null, \"ctime\": null", to);
	}
}

static void put_time(FILE *to)
{
	time_t now = time(NULL);
	char text[32] = "";
	struct tm utc;

	if (gmtime_r(&now, &utc))
		strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &utc);
	fprintf(to, ", \"time\": \"%s\"", text);
}

static void put_messages(FILE *to, const struct outcome *outcome)
{
	fputs(", \"warnings\": [", to);
	for (size_t i = 0; i < outcome->nwarnings; i++) {
		fputs(i > 0 ? ", " : "", to);
		json_put_bytes(to, outcome->warnings[i],
			       strlen(outcome->warnings[i]));
	}
	fputs("], ", to);
	if (outcome->error)
		json_put_field(to, "error", outcome->error);
	else
		fputs("\"error\": null", to);
}

void report_put_file(FILE *to, const struct job *job, enum exit_status status)
{
	const struct nc3z_summary *s = &job->summary;
	const struct outcome *outcome = &job->outcome;
	bool is_known = s->archive_nbytes > 0;
	/* A part is made without it. */
	bool has_sha256 = is_known && outcome->kind != OUTCOME_ESTIMATED &&
			  job->settings->action->makes != MAKES_PART;

	putc('{', to);
	json_put_name(to, "name", job->name);
	fprintf(to, ", \"result\": \"%s\", \"status\": %d, ",
		report_word(outcome->kind), (int)status);
	if (job->settings->action->makes != MAKES_NOTHING) {
		if (job->output || job_writes_stdout(job))
			json_put_name(to, "output",
				      job->output ? job->output : "-");
		else
			fputs("\"output\": null", to);
		fputs(", ", to);
	}
	fprintf(to, "\"seconds\": %.3f", clock_seconds() - outcome->begin);
	if (outcome->kind == OUTCOME_ESTIMATED)
		fprintf(to, ", \"processor_seconds\": %.3f, \"sampled\": %s",
			outcome->processor_seconds,
			outcome->is_sampled ? "true" : "false");
	put_number(to, "original_bytes", is_known, s->original_nbytes);
	put_number(to, "archive_bytes", is_known, s->archive_nbytes);
	if (s->ncopied > 0) {
		put_number(to, "blocks", true, s->nblocks);
		put_number(to, "copied_blocks", true, s->ncopied);
	}
	put_digest(to, "sha256", has_sha256, s->sha256);
	put_digest(to, "archive_sha256",
		   is_known && outcome->has_archive_sha256,
		   outcome->archive_sha256);
	put_input(to, &job->input);
	put_time(to);
	put_messages(to, outcome);
	fputs("}\n", to);
}

void report_put_summary(FILE *to, const struct batch_action *action,
			const struct report_totals *t)
{
	fprintf(to, "{\"summary\": {\"action\": \"%s\"", report_action(action));
	for (int i = 0; i < OUTCOME_END; i++)
		if (i != OUTCOME_SKIPPED)
			fprintf(to, ", \"%s\": %zu", words[i].result,
				t->ndone[i]);
	fprintf(to,
		", \"removed\": %zu, \"warned\": %zu, \"left\": %zu, "
		"\"skipped\": ",
		t->nremoved, t->nwarned, report_nleft(t));
	passed_put_json(to);
	put_number(to, "original_bytes", true, t->original_nbytes);
	put_number(to, "archive_bytes", true, t->archive_nbytes);
	fprintf(to, ", \"seconds\": %.3f, \"status\": %d", t->seconds,
		(int)t->status);
	put_time(to);
	fputs("}}\n", to);
}
