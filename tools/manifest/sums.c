/* SPDX-License-Identifier: MIT */
#include "manifest/sums.h"

#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "batch/job_input.h"
#include "common/suffix.h"
#include "manifest/sums_print.h"

#define TAR_SUFFIX ".tar"

static const char others[] = "(others)"; /* without a part that matches */
static struct sums_group *groups;        /* by their names */
static size_t ngroups;
static regex_t pattern;
static const struct manifest_settings *settings;

bool sums_begin(const struct manifest_settings *of)
{
	int status = regcomp(&pattern, of->report_by, REG_EXTENDED);
	char why[200];

	settings = of;
	if (status == 0)
		return true;
	regerror(status, &pattern, why, sizeof(why));
	message_error(NULL, "--report=%s is not a regular expression: %s",
		      of->report_by, why);
	return false;
}

/* What a file is counted under; it ends after '*nbytes_ret' bytes. */
static const char *key_of(const char *name, size_t *nbytes_ret)
{
	const char *by = settings->report_by;
	const char *slash = strrchr(name, '/');
	regmatch_t match;

	*nbytes_ret = 0;
	if (strcmp(by, "directory") == 0) {
		*nbytes_ret = !slash       ? 1 :
			      slash > name ? (size_t)(slash - name) :
					     1;
		return slash ? name : ".";
	}
	if (!by[0])
		return "";
	if (regexec(&pattern, name, 1, &match, 0) != 0 ||
	    match.rm_eo == match.rm_so) {
		*nbytes_ret = strlen(others);
		return others;
	}
	*nbytes_ret = (size_t)(match.rm_eo - match.rm_so);
	return name + match.rm_so;
}

static int compare_key(const char *key, size_t nbytes, const char *name)
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
	const char *key = key_of(job->name, &nbytes);

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int order = compare_key(key, nbytes, groups[middle].name);

		if (order == 0)
			return &groups[middle];
		if (order < 0)
			high = middle;
		else
			low = middle + 1;
	}
	return insert(low, key, nbytes);
}

static void add_left(const struct job *job)
{
	struct sums_group *group = group_of(job);

	group->sums[SUM_LEFT]++;
	group->sums[SUM_LEFT_BYTES] += job->file->nbytes;
}

static enum exit_status add_archive(struct job *job, struct nc3z_source *in,
				    const char *name)
{
	struct nc3z_summary summary = { 0 };
	struct sums_group *group = group_of(job);
	int status = nc3z_summarize(in, &summary, &job->err);

	group->sums[SUM_FAILED] += status != NC3Z_OK;
	group->sums[SUM_ARCHIVES] += status == NC3Z_OK;
	group->sums[SUM_ORIGINAL_BYTES] += summary.original_nbytes;
	group->sums[SUM_ARCHIVE_BYTES] += summary.archive_nbytes;
	return status == NC3Z_OK ? EXIT_DONE : job_fail(job, name);
}

/* The archives in a tar; what else is there is small, as its index. */
static enum exit_status add_members(struct job *job, struct nc3z_tar *tar)
{
	const struct settings *s = job->settings;
	enum exit_status worst = EXIT_DONE;
	struct nc3z_tar_member member;
	struct nc3z_source *in;

	for (size_t i = 0; i < nc3z_tar_nmembers(tar); i++) {
		if (nc3z_tar_inq_member(tar, i, &member, &job->err) !=
			    NC3Z_OK ||
		    !file_has_suffix(member.name, s->suffix))
			continue;
		if (nc3z_tar_open_member(tar, i, 0, &in, &job->err) !=
		    NC3Z_OK) {
			group_of(job)->sums[SUM_FAILED]++;
			worst = exit_worse(job_fail(job, member.name), worst);
			continue;
		}
		worst = exit_worse(add_archive(job, in, member.name), worst);
		nc3z_source_close(in);
	}
	return worst;
}

/* A bundle in a directory counts as its archives; any other tar is left. */
static enum exit_status add_tar(struct job *job)
{
	struct nc3z_tar *tar;
	enum exit_status status = job_open_input(job);

	if (status != EXIT_DONE || !nc3z_tar_has_archives(job->in) ||
	    nc3z_tar_open(job->in, &tar, &job->err) != NC3Z_OK) {
		add_left(job);
		return status;
	}
	job->in = NULL;
	status = add_members(job, tar);
	nc3z_tar_close(tar);
	return status;
}

static enum exit_status add(struct job *job)
{
	enum exit_status status;

	if (file_was_found(job->file) && file_has_suffix(job->name, TAR_SUFFIX))
		return add_tar(job);
	if (file_was_found(job->file) &&
	    !file_has_suffix(job->name, job->settings->suffix)) {
		add_left(job);
		return EXIT_DONE;
	}
	status = job_open_input(job);
	if (status != EXIT_DONE) {
		group_of(job)->sums[SUM_FAILED]++;
		return status;
	}
	return add_archive(job, job->in, job->name);
}

const struct batch_action sums_action = {
	.run = add,
	.takes = TAKES_ALL,
	.lists = true,
	.peeks = true,
	.anywhere = true,
};

void sums_end(void)
{
	struct sums_group total = { .name = NULL };

	for (size_t i = 0; i < ngroups; i++)
		for (int k = 0; k < SUM_END; k++)
			total.sums[k] += groups[i].sums[k];
	sums_print(settings->report_form, groups, ngroups, &total);
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
