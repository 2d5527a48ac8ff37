/* SPDX-License-Identifier: MIT */
#include "manifest/sums.h"

#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "batch/job_input.h"
#include "common/suffix.h"
#include "manifest/sums_print.h"
#include "nc3z_tools.h"

static const char others[] = "(others)"; /* without a part that matches */
static struct sums_group *groups;        /* by their names */
static size_t ngroups;
static regex_t pattern;

bool sums_begin(const struct settings *settings)
{
	int status = regcomp(&pattern, settings->report_by, REG_EXTENDED);
	char why[200];

	if (status == 0)
		return true;
	regerror(status, &pattern, why, sizeof(why));
	message_error(NULL, "--report=%s is not a regular expression: %s",
		      settings->report_by, why);
	return false;
}

/* What a file is counted under; it ends after '*nbytes_ret' bytes. */
static const char *key_of(const struct settings *s, const char *name,
			  size_t *nbytes_ret)
{
	const char *slash = strrchr(name, '/');
	regmatch_t match;

	*nbytes_ret = 0;
	if (strcmp(s->report_by, "directory") == 0) {
		*nbytes_ret = !slash       ? 1 :
			      slash > name ? (size_t)(slash - name) :
					     1;
		return slash ? name : ".";
	}
	if (!s->report_by[0])
		return "";
	if (regexec(&pattern, name, 1, &match, 0) != 0 ||
	    match.rm_eo == match.rm_so) {
		*nbytes_ret = strlen(others);
		return others;
	}
	*nbytes_ret = (size_t)(match.rm_eo - match.rm_so);
	return name + match.rm_so;
}

static int compare(const char *key, size_t nbytes, const char *name)
{
	int order = strncmp(key, name, nbytes);

	return order != 0 ? order : name[nbytes] ? -1 : 0;
}

static struct sums_group *insert(size_t at, const char *key, size_t nbytes)
{
	struct sums_group *grown =
		realloc(groups, (ngroups + 1) * sizeof(*grown));
	char *name = strndup(key, nbytes);

	if (!grown || !name)
		message_out_of_memory();
	groups = grown;
	memmove(groups + at + 1, groups + at,
		(ngroups++ - at) * sizeof(*groups));
	groups[at] = (struct sums_group){ .name = name };
	return &groups[at];
}

static struct sums_group *group_of(const struct job *job)
{
	size_t nbytes, low = 0, high = ngroups;
	const char *key = key_of(job->settings, job->name, &nbytes);

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int order = compare(key, nbytes, groups[middle].name);

		if (order == 0)
			return &groups[middle];
		if (order < 0)
			high = middle;
		else
			low = middle + 1;
	}
	return insert(low, key, nbytes);
}

enum exit_status sums_add(struct job *job)
{
	struct sums_group *group;
	enum exit_status status;

	if (file_was_found(job->file) &&
	    !file_has_suffix(job->name, job->settings->suffix)) {
		group = group_of(job);
		group->sums[SUM_LEFT]++;
		group->sums[SUM_LEFT_BYTES] += job->file->nbytes;
		return EXIT_DONE;
	}
	status = job_open_input(job);
	if (status == EXIT_DONE &&
	    nc3z_summarize(job->in, &job->summary, &job->err) != NC3Z_OK)
		status = job_fail(job, job->name);
	group = group_of(job);
	group->sums[SUM_FAILED] += status != EXIT_DONE;
	group->sums[SUM_ARCHIVES] += status == EXIT_DONE;
	group->sums[SUM_ORIGINAL_BYTES] += job->summary.original_nbytes;
	group->sums[SUM_ARCHIVE_BYTES] += job->summary.archive_nbytes;
	return status;
}

void sums_end(const struct settings *settings)
{
	struct sums_group total = { .name = NULL };

	for (size_t i = 0; i < ngroups; i++)
		for (int k = 0; k < SUM_END; k++)
			total.sums[k] += groups[i].sums[k];
	sums_print(settings, groups, ngroups, &total);
	if (ngroups == 1 && strcmp(groups[0].name, others) == 0)
		message_warning(NULL,
				"--report=%s: no name has a part that this "
				"regular expression finds",
				settings->report_by);
	for (size_t i = 0; i < ngroups; i++)
		free(groups[i].name);
	free(groups);
	regfree(&pattern);
}
