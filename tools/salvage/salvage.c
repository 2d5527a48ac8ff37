/* SPDX-License-Identifier: MIT */
#define _POSIX_C_SOURCE 200809L
#include "salvage/options.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/digest.h"
#include "common/json.h"

struct salvage {
	struct merge *merge;
	struct nc3z_salvage_report *report;
};

/* 0 leaves it to the library to say what is too much. */
static uint64_t max_original_nbytes(const struct settings *settings)
{
	if (settings->max_original_nbytes == 0 && settings->force)
		return UINT64_MAX;
	return settings->max_original_nbytes;
}

static enum exit_status rebuild(struct salvage *s)
{
	struct merge *m = s->merge;
	const struct settings *settings = m->settings;
	struct nc3z_salvage_options options;

	nc3z_salvage_options_init(&options);
	options.nthreads = settings->nthreads;
	options.archive = salvage_settings(settings)->archive;
	options.max_original_nbytes = max_original_nbytes(settings);
	options.max_memory_nbytes = settings->max_memory_nbytes;
	options.context = &m->progress;
	options.progress = progress_update;
	progress_begin(&m->progress, settings->output, 0, false);
	if (nc3z_salvage(m->sources, (size_t)m->count, m->out, &options,
			 &s->report, &m->err) != NC3Z_OK)
		return merge_fail(m, m->count == 1 ? m->names[0] : NULL);
	progress_clear();
	return nc3z_sink_sync(m->out, &m->err) == NC3Z_OK ?
		       EXIT_DONE :
		       merge_fail(m, settings->output);
}

static void print_indices(const char *open, const uint64_t *indices, int n,
			  const char *close)
{
	fputs(open, stdout);
	for (int i = 0; i < n; i++)
		printf("%s%" PRIu64, i > 0 ? ", " : "", indices[i]);
	fputs(close, stdout);
}

static void print_loss(const struct nc3z_loss *loss)
{
	printf("  lost: ");
	if (loss->varid == NC3Z_GLOBAL) {
		printf("bytes %" PRIu64 " to %" PRIu64
		       " of the original, of no variable",
		       loss->offset, loss->offset + loss->nbytes - 1);
	} else {
		message_put_text(stdout, loss->name);
		if (loss->ndims > 0) {
			print_indices("[", loss->first, loss->ndims, "]");
			printf(loss->is_box ? " to, as a box, " : " to ");
			print_indices("[", loss->last, loss->ndims, "]");
		}
	}
	printf(", %" PRIu64 " bytes\n", loss->nbytes);
}

static void print_verdict(const struct salvage *s)
{
	const struct nc3z_salvage_report *r = s->report;

	message_put_text(stdout, s->merge->settings->output);
	if (r->is_whole)
		printf(": whole: the SHA-256 of the original is right\n");
	else if (r->nbytes_lost == 0)
		printf(": nothing is missing, but the SHA-256 and the size of "
		       "the original are not known\n");
	else
		printf(": %" PRIu64 " of %" PRIu64 " bytes of the original are "
		       "lost and filled, in %" PRIu64 " of %" PRIu64
		       " blocks\n",
		       r->nbytes_lost, r->summary.original_nbytes,
		       r->nblocks_made, r->nblocks_made + r->nblocks_kept);
}

/*
 * The name in a tar of the archive that was taken, from malloc(); NULL if the
 * input is none.
 */
static char *member_of(const struct salvage *s)
{
	const struct nc3z_salvage_report *r = s->report;
	struct nc3z_source *source;
	struct nc3z_tar_member m;
	struct nc3z_tar *tar;
	char *name = NULL;

	if (nc3z_source_open_fd(s->merge->files[r->source].fd, &source, NULL) !=
	    NC3Z_OK)
		return NULL;
	if (s->merge->tars[r->source] ||
	    nc3z_tar_open(source, &tar, NULL) != NC3Z_OK) {
		nc3z_source_close(source);
		return NULL;
	}
	for (size_t i = 0; !name && i < nc3z_tar_nmembers(tar); i++) {
		nc3z_tar_inq_member(tar, i, &m, NULL);
		if (!m.left_out && m.offset <= r->offset &&
		    r->offset - m.offset < m.nbytes)
			name = strdup(m.name);
	}
	nc3z_tar_close(tar);
	return name;
}

/* Which of several archives this is. */
static void print_taken(const struct salvage *s)
{
	const struct nc3z_salvage_report *r = s->report;
	char *member = member_of(s);

	if (member || r->nothers > 0) {
		printf("  taken: the archive at offset %" PRIu64 " of ",
		       r->offset);
		message_put_text(stdout, s->merge->names[r->source]);
		if (member) {
			printf(", its member ");
			message_put_text(stdout, member);
		}
		putchar('\n');
	}
	free(member);
}

static void print_text(const struct salvage *s)
{
	const struct nc3z_salvage_report *r = s->report;

	print_verdict(s);
	print_taken(s);
	for (size_t i = 0; i < r->nlosses; i++)
		print_loss(&r->losses[i]);
	if (r->nlosses_unlisted > 0)
		printf("  lost: more, in %" PRIu64 " pieces\n",
		       r->nlosses_unlisted);
	if (r->is_whole)
		return;
	printf("  SHA-256 of the original: ");
	if (r->has_original_sha256)
		digest_print(r->original_sha256);
	else
		printf("not known");
	printf("\n  SHA-256 as salvaged:     ");
	digest_print(r->summary.sha256);
	putchar('\n');
}

static void print_json_indices(const char *key, const uint64_t *indices, int n)
{
	printf(", \"%s\": ", key);
	print_indices("[", indices, n, "]");
}

static void print_json_loss(const struct nc3z_loss *loss)
{
	printf("\n      {");
	if (loss->varid == NC3Z_GLOBAL) {
		printf("\"variable\": null, \"offset\": %" PRIu64,
		       loss->offset);
	} else {
		json_print_field("variable", loss->name);
		printf(", \"number\": %d, \"box\": %s", loss->varid,
		       loss->is_box ? "true" : "false");
		print_json_indices("first", loss->first, loss->ndims);
		print_json_indices("last", loss->last, loss->ndims);
	}
	printf(", \"bytes\": %" PRIu64 "}", loss->nbytes);
}

static const char *plan_name(int plan_from)
{
	static const char *const names[] = {
		[NC3Z_SALVAGE_PLAN_SECTION] = "section",
		[NC3Z_SALVAGE_PLAN_CATALOGUE] = "catalogue",
		[NC3Z_SALVAGE_PLAN_BY_PLACE] = "place",
		[NC3Z_SALVAGE_PLAN_COMPUTED] = "computed",
	};

	return names[plan_from];
}

static void print_json_member(const struct salvage *s)
{
	char *member = member_of(s);

	printf(", ");
	if (member)
		json_print_field("member", member);
	else
		printf("\"member\": null");
	free(member);
}

static void print_json_head(const struct salvage *s)
{
	const struct nc3z_salvage_report *r = s->report;

	json_print_field("output", s->merge->settings->output);
	printf(",\n     \"original_bytes\": %" PRIu64
	       ", \"archive_bytes\": %" PRIu64 ", \"whole\": %s,\n     ",
	       r->summary.original_nbytes, r->summary.archive_nbytes,
	       r->is_whole ? "true" : "false");
	printf("\"sha256\": \"");
	digest_print(r->summary.sha256);
	printf("\", \"original_sha256\": ");
	if (r->has_original_sha256) {
		putchar('"');
		digest_print(r->original_sha256);
		putchar('"');
	} else {
		printf("null");
	}
	printf(",\n     \"blocks_kept\": %" PRIu64 ", \"blocks_made\": %" PRIu64
	       ", \"bytes_lost\": %" PRIu64 ",\n     ",
	       r->nblocks_kept, r->nblocks_made, r->nbytes_lost);
	json_print_field("input", s->merge->names[r->source]);
	print_json_member(s);
	printf(", \"offset\": %" PRIu64 ", \"other_archives\": %u,\n     ",
	       r->offset, r->nothers);
	json_print_field("plan", plan_name(r->plan_from));
	printf(", ");
	json_print_field("header", r->header_is_copy ? "copy" : "blocks");
}

static void print_json(const struct salvage *s)
{
	const struct nc3z_salvage_report *r = s->report;

	printf("{\"salvage\":\n    {");
	print_json_head(s);
	printf(",\n     \"losses\": [");
	for (size_t i = 0; i < r->nlosses; i++) {
		fputs(i > 0 ? "," : "", stdout);
		print_json_loss(&r->losses[i]);
	}
	printf("], \"losses_unlisted\": %" PRIu64 "}}\n", r->nlosses_unlisted);
}

/* Whether the list is where it should be, and not on its way. */
static bool has_been_told(void)
{
	bool failed = fflush(stdout) != 0 || ferror(stdout) ||
		      (fsync(STDOUT_FILENO) != 0 && errno != EINVAL &&
		       errno != EROFS && errno != ENOTSUP);

	if (failed)
		message_error(NULL, "cannot write the list of losses: %s",
			      strerror(errno));
	return !failed;
}

static bool tell(const struct salvage *s)
{
	const struct nc3z_salvage_report *r = s->report;

	if (s->merge->settings->json)
		print_json(s);
	else
		print_text(s);
	if (r->nothers > 0 && !s->merge->settings->quiet)
		message_warning(NULL,
				"%u other archive%s found and ignored; "
				"--archive chooses, or TAR//MEMBER",
				r->nothers, r->nothers == 1 ? "" : "s");
	return has_been_told();
}

/* The archive has no name before the list of what is not in it is out. */
static enum exit_status salvage(struct salvage *s)
{
	const struct settings *settings = s->merge->settings;
	enum exit_status status = rebuild(s);
	bool is_chosen;

	if (status != EXIT_DONE)
		return status;
	if (!tell(s))
		return EXIT_FAILED;
	if (nc3z_sink_commit(s->merge->out, &s->merge->err) != NC3Z_OK)
		return merge_fail(s->merge, settings->output);
	is_chosen = s->report->nothers == 0 ||
		    salvage_settings(settings)->archive != 0;
	return s->report->is_whole && is_chosen ? EXIT_DONE : EXIT_WARNED;
}

enum exit_status salvage_make(struct merge *m)
{
	struct salvage s = { .merge = m };
	enum exit_status status = salvage(&s);

	nc3z_salvage_report_free(s.report);
	return status;
}
