/* SPDX-License-Identifier: MIT */
/*
 * A name that has the suffix of archives, or .nc4, is a file.  Any other is the
 * original inside the archive of that name or, of x.nc, inside x.nc4, a file,
 * or both, depending on which exist.
 */
#include "manifest/check.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "batch/input.h"
#include "common/digest.h"
#include "common/json.h"
#include "common/suffix.h"
#include "manifest/archive.h"
#include "manifest/line.h"
#include "manifest/options.h"
#include "nc3z_tools.h"

struct checker {
	const struct settings *settings;
	unsigned long nlines; /* of the list that is read */
	unsigned long nimproper;
	bool is_cut_off; /* the last line, maybe in a name */
	unsigned long nunread;
	unsigned long nwrong;
	unsigned long nright;
	enum exit_status status;
};

/* A file or an original that a line may be about. */
struct candidate {
	const char *path;
	bool is_inside;    /* the original inside of it */
	const char *where; /* printed after the verdict */
};

/* Of an archive's original, once the archive has been checked. */
static int checksum_inside(const struct checker *c,
			   const struct checksum_kind *kind,
			   struct nc3z_source *source, unsigned char *checksum,
			   struct nc3z_error *err)
{
	struct nc3z_restore_options options;
	struct nc3z_summary summary;
	int status;

	nc3z_restore_options_init(&options);
	options.nthreads = c->settings->nthreads;
	options.max_original_nbytes = c->settings->max_original_nbytes;
	if (kind != CHECKSUM_SHA256)
		return checksum_of_original(kind, source, &options, checksum,
					    err);
	status =
		manifest_settings(c->settings)->quick ?
			archive_check_quickly(source, &options, &summary, err) :
			input_restore(source, NULL, &options, &summary, err);
	if (status == NC3Z_OK)
		memcpy(checksum, summary.sha256, kind->nbytes);
	return status;
}

/*
 * Inside a tar, and not a file of its own.  Lists may come from anywhere: no
 * URL in them is fetched.
 */
static bool is_member(const char *path)
{
	struct stat stat;

	return strstr(path, "//") && !nc3z_is_url(path) &&
	       lstat(path, &stat) != 0 && errno == ENOTDIR;
}

static int open_listed(const char *path, struct nc3z_source **source_ret,
		       struct nc3z_error *err)
{
	return is_member(path) ?
		       nc3z_source_open_name(path, 0, source_ret, err) :
		       nc3z_source_open_path(path, source_ret, err);
}

static int checksum_of(const struct checker *c,
		       const struct candidate *candidate,
		       const struct checksum_kind *kind,
		       unsigned char *checksum, struct nc3z_error *err)
{
	struct nc3z_source *source;
	int status = open_listed(candidate->path, &source, err);

	if (status != NC3Z_OK)
		return status;
	status = candidate->is_inside ?
			 checksum_inside(c, kind, source, checksum, err) :
			 checksum_of_source(kind, source, checksum, err);
	nc3z_source_close(source);
	return status;
}

/* What came of a line. */
enum verdict {
	VERDICT_OK,
	VERDICT_WRONG,
	VERDICT_UNREAD,
};

static const struct {
	const char *text;
	const char *word; /* of JSON */
} verdicts[] = {
	[VERDICT_OK] = { "OK", "ok" },
	[VERDICT_WRONG] = { "FAILED", "wrong" },
	[VERDICT_UNREAD] = { "FAILED open or read", "unreadable" },
};

static void print_json(const struct line_entry *entry,
		       const struct candidate *candidate, enum verdict verdict,
		       const char *error)
{
	putchar('{');
	json_print_field("name", entry->name);
	printf(", \"result\": \"%s\", \"inside\": %s, ", verdicts[verdict].word,
	       candidate->is_inside ? "true" : "false");
	json_print_field("path", candidate->path);
	printf(", \"%s\": \"", entry->kind->name);
	digest_put(stdout, entry->checksum, entry->kind->nbytes);
	printf("\", ");
	if (error)
		json_print_field("error", error);
	else
		printf("\"error\": null");
	puts("}");
}

static void say(const struct checker *c, const struct line_entry *entry,
		const struct candidate *candidate, enum verdict verdict,
		const char *error)
{
	if (c->settings->json) {
		print_json(entry, candidate, verdict, error);
		return;
	}
	if (verdict == VERDICT_OK && c->settings->quiet)
		return;
	line_print_name(entry->name);
	printf(": %s%s\n", verdicts[verdict].text, candidate->where);
}

static void judge_candidate(struct checker *c, const struct line_entry *entry,
			    const struct candidate *candidate)
{
	unsigned char checksum[CHECKSUM_NBYTES_MAX];
	struct nc3z_error err = { 0 };
	int status = checksum_of(c, candidate, entry->kind, checksum, &err);
	bool is_damaged = status == NC3Z_EDAMAGED;
	enum verdict verdict = VERDICT_OK;

	if (status != NC3Z_OK)
		message_error(candidate->path, "%s", err.text);
	if (status != NC3Z_OK && !is_damaged)
		verdict = VERDICT_UNREAD;
	else if (is_damaged ||
		 memcmp(checksum, entry->checksum, entry->kind->nbytes) != 0)
		verdict = VERDICT_WRONG;
	say(c, entry, candidate, verdict, status != NC3Z_OK ? err.text : NULL);
	c->nunread += verdict == VERDICT_UNREAD;
	c->nwrong += verdict == VERDICT_WRONG;
	c->nright += verdict == VERDICT_OK;
	c->status = exit_worse(verdict == VERDICT_UNREAD ? EXIT_FAILED :
			       verdict == VERDICT_WRONG  ? EXIT_DAMAGED :
							   EXIT_DONE,
			       c->status);
}

/* If its status cannot be read, it exists: reading it will tell why. */
static bool is_there(const char *path)
{
	struct nc3z_source *member;
	struct stat stat;

	if (is_member(path)) {
		if (open_listed(path, &member, NULL) != NC3Z_OK)
			return false;
		nc3z_source_close(member);
		return true;
	}
	return lstat(path, &stat) == 0 || (errno != ENOENT && errno != ENOTDIR);
}

static void check_entry(struct checker *c, const struct line_entry *entry)
{
	const char *suffix = c->settings->suffix;
	/* Room for "4", too. */
	size_t size = strlen(entry->name) + strlen(suffix) + 2;
	struct candidate file = { entry->name, false, "" };
	struct candidate inside = { NULL, true, " (in the archive)" };
	char *archive = malloc(size);

	if (!archive) {
		message_error(NULL, "out of memory");
		c->status = exit_worse(EXIT_FAILED, c->status);
		return;
	}
	snprintf(archive, size, "%s%s", entry->name, suffix);
	if (!is_there(archive) && file_has_suffix(entry->name, CLASSIC_SUFFIX))
		snprintf(archive, size, "%s4", entry->name);
	inside.path = archive;
	if (file_has_suffix(entry->name, suffix) ||
	    file_has_suffix(entry->name, NETCDF4_SUFFIX) ||
	    !is_there(archive)) {
		judge_candidate(c, entry, &file);
	} else if (!is_there(entry->name)) {
		judge_candidate(c, entry, &inside);
	} else {
		/* Either may be the one that is wrong. */
		judge_candidate(c, entry, &file);
		judge_candidate(c, entry, &inside);
	}
	free(archive);
}

static void check_lines(struct checker *c, FILE *list)
{
	struct line_entry entry;
	char *line = NULL;
	size_t size = 0;
	ssize_t nbytes;

	while ((nbytes = getline(&line, &size, list)) > 0) {
		if (line[0] == '#')
			continue;
		c->is_cut_off = line[nbytes - 1] != '\n';
		if (c->is_cut_off)
			break;
		/* No name has a NUL: it would be another one. */
		if (!memchr(line, '\0', (size_t)nbytes) &&
		    line_parse(line, &entry)) {
			c->nlines++;
			check_entry(c, &entry);
		} else {
			c->nimproper++;
		}
	}
	free(line);
}

static void warn_of(const struct settings *s, unsigned long n, const char *one,
		    const char *several)
{
	if (n > 0 && !s->quiet)
		message_warning(NULL, "%lu %s", n, n == 1 ? one : several);
}

static void summarize_list(struct checker *c, const char *path)
{
	if (c->is_cut_off && !c->settings->quiet)
		message_warning(path,
				"the last line does not end in a newline, so "
				"the manifest may be cut off; it was not "
				"checked");
	if (c->is_cut_off)
		c->status = exit_worse(EXIT_WARNED, c->status);
	if (c->nlines > 0)
		return;
	message_error(path, "no line has the form of sha256sum's or md5sum's "
			    "lists; see nc3manifest(1)");
	c->status = exit_worse(EXIT_FAILED, c->status);
}

static void summarize(struct checker *c)
{
	const struct settings *s = c->settings;
	unsigned long nchecked = c->nright + c->nwrong + c->nunread;

	warn_of(s, c->nimproper, "line is improperly formatted",
		"lines are improperly formatted");
	warn_of(s, c->nunread, "listed file could not be read",
		"listed files could not be read");
	warn_of(s, c->nwrong, "computed checksum did NOT match",
		"computed checksums did NOT match");
	if (nchecked > 0 && !s->quiet && !s->json)
		message_note(NULL, "%lu checked: %lu OK, %lu failed", nchecked,
			     c->nright, nchecked - c->nright);
	if (c->nimproper > 0)
		c->status = exit_worse(EXIT_WARNED, c->status);
}

static void print_json_summary(const struct checker *c)
{
	printf("{\"summary\": {\"action\": \"check\", \"ok\": %lu, "
	       "\"wrong\": %lu, \"unreadable\": %lu, \"improper\": %lu, "
	       "\"status\": %d}}\n",
	       c->nright, c->nwrong, c->nunread, c->nimproper, (int)c->status);
}

static void check_list(struct checker *c, const char *path)
{
	bool is_stdin = strcmp(path, "-") == 0;
	FILE *list = is_stdin ? stdin : fopen(path, "r");

	if (!list) {
		message_error(path, "cannot open: %s", strerror(errno));
		c->status = exit_worse(EXIT_FAILED, c->status);
		return;
	}
	c->nlines = 0;
	check_lines(c, list);
	if (ferror(list)) {
		message_error(path, "cannot read: %s", strerror(errno));
		c->status = exit_worse(EXIT_FAILED, c->status);
	}
	if (!is_stdin)
		fclose(list);
	summarize_list(c, path);
}

enum exit_status check_run(const struct settings *settings, int nlists,
			   char **lists)
{
	struct checker c = { .settings = settings };

	if (nlists == 0)
		check_list(&c, "-");
	for (int i = 0; i < nlists; i++)
		check_list(&c, lists[i]);
	summarize(&c);
	if (settings->json)
		print_json_summary(&c);
	return c.status;
}
