/* SPDX-License-Identifier: MIT */
/* The options of nc3compress, and taking those that it alone has. */
#include "compress/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "batch/options.h"
#include "common/argument.h"
#include "common/message.h"

static int take_block_size(struct settings *s, const char *text)
{
	uint64_t n;

	if (!argument_parse_size(text, &n) || n < NC3Z_BLOCK_NBYTES_MIN ||
	    n > NC3Z_BLOCK_NBYTES_MAX) {
		message_error(NULL, "block size %s is not between 4K and 64M",
			      text);
		return -1;
	}
	s->block_nbytes = (uint32_t)n;
	return 0;
}

static int take_pattern(struct settings_list *list, const char *text)
{
	bool *grown =
		realloc(list->matched, (list->count + 1) * sizeof(*grown));

	if (!grown)
		message_out_of_memory();
	grown[list->count] = false;
	list->matched = grown;
	/* As of "$DIR/" where DIR is not set. */
	if (text[strspn(text, "./")] == '\0') {
		message_error(NULL, "pattern '%s' names nothing", text);
		return -1;
	}
	return option_take_text(list, text);
}

static int take_part(struct compress_settings *s, const char *text)
{
	const char *slash = strchr(text, '/');
	char number[16];

	s->is_part = true;
	s->part_number = s->part_count = 0;
	if (strcmp(text, "sha256") == 0)
		return 0;
	if (slash && (size_t)(slash - text) < sizeof(number)) {
		snprintf(number, sizeof(number), "%.*s", (int)(slash - text),
			 text);
		if (argument_parse_count(slash + 1, 1, NC3Z_PARTS_MAX,
					 &s->part_count) &&
		    argument_parse_count(number, 1, s->part_count,
					 &s->part_number))
			return 0;
	}
	message_error(NULL,
		      "part %s is neither 'sha256' nor I/N, with I from 1 to N "
		      "and N at most %u",
		      text, NC3Z_PARTS_MAX);
	return -1;
}

/* "30d", "12h", "5m", "60s"; a number alone is days. */
static int take_age(struct settings *s, const char *text)
{
	static const struct {
		char unit;
		uint64_t seconds;
	} units[] = { { 'd', 86400 }, { 'h', 3600 }, { 'm', 60 }, { 's', 1 } };
	char number[16] = "";
	size_t n = strspn(text, "0123456789");
	const char *unit = text[n] ? text + n : "d";
	unsigned count;

	snprintf(number, sizeof(number), "%.*s", (int)n, text);
	for (size_t i = 0; i < 4; i++)
		if (n < sizeof(number) && unit[0] == units[i].unit &&
		    unit[1] == '\0' &&
		    argument_parse_count(number, 1, 1000000000, &count)) {
			s->older_seconds = count * units[i].seconds;
			return 0;
		}
	message_error(NULL,
		      "age %s is not a number from 1 on: of days, or of hours, "
		      "minutes or seconds with h, m or s",
		      text);
	return -1;
}

static int take_option(void *context, int key, const char *argument)
{
	struct compress_settings *c = context;
	struct settings *s = &c->shared;

	switch (key) {
	case 'd':
		c->mode = COMPRESS_RESTORE;
		return 0;
	case 't':
		c->mode = COMPRESS_TEST;
		return 0;
	case 'l':
		c->mode = COMPRESS_LIST;
		return 0;
	case KEY_DRY_RUN:
		c->dry_run = true;
		return 0;
	case 'c':
		s->to_stdout = true;
		return 0;
	case 'b':
		return take_block_size(s, argument);
	case KEY_PART:
		return take_part(c, argument);
	case KEY_EXCLUDE:
		return take_pattern(&s->exclude, argument);
	case KEY_INCLUDE:
		return take_pattern(&s->include, argument);
	case KEY_OLDER_THAN:
		return take_age(s, argument);
	default:
		return option_take_shared(s, key, argument);
	}
}

static const struct option_row rows[] = {
	{ 'd', "decompress", NULL, "restore the original from an archive" },
	{ 't', "test", NULL, "check archives: every byte, every checksum" },
	{ 'l', "list", NULL, "show sizes and ratio of archives" },
	{ KEY_DRY_RUN, "dry-run", NULL,
	  "write nothing; estimate the sizes and the time" },
	{ KEY_PART, "part", "I/N",
	  "pack part I of N; sha256: the checksum that nc3convert --join "
	  "needs" },
	{ 'c', "stdout", NULL, "write to standard output" },
	OPTION_ROW_OUTPUT,
	OPTION_ROW_OUTPUT_DIR,
	OPTION_ROW_SUFFIX,
	{ 'f', "force", NULL,
	  "replace existing output files, write to a terminal" },
	OPTION_ROW_UPDATE,
	{ 'k', "keep", NULL, "keep input files (the default)" },
	OPTION_ROW_RM,
	{ KEY_VERIFY, "verify", NULL,
	  "read each archive back and compare before it gets its name" },
	{ 'r', "recursive", NULL,
	  "all classic files (or archives) in directories" },
	{ KEY_EXCLUDE, "exclude", "PATTERN",
	  "with -r, leave out files and directories that match" },
	{ KEY_INCLUDE, "include", "PATTERN",
	  "with -r, take only files that match" },
	{ KEY_OLDER_THAN, "older-than", "AGE",
	  "take only files not written to for AGE: 30d, 12h, 5m, 60s" },
	{ KEY_OFFLINE, "offline", NULL,
	  "with -r, pack also files that are not on disk but on tape" },
	OPTION_ROW_FILES0_FROM,
	OPTION_ROWS_LEVEL,
	OPTION_ROW_CODEC,
	{ 'b', "block-size", "SIZE", "bytes in a block: 4K to 64M [by type]" },
	OPTION_ROW_CHUNKS,
	OPTION_ROW_MAX_MEMORY,
	OPTION_ROW_MAX_SIZE("restore and test"),
	OPTION_ROW_THREADS,
	{ KEY_SPARSE, "sparse", NULL, "restore runs of zeros as holes" },
	{ KEY_JSON, "json", NULL, "print lists and reports as JSON" },
	OPTION_ROW_JOURNAL,
	OPTION_ROW_UNTIL,
	OPTION_ROW_CHECK_PLAN,
	OPTION_ROW_QUIET,
	OPTION_ROW_VERBOSE,
	OPTION_ROWS_END,
};

static const struct option_table table = {
	.program = "nc3compress",
	.usage = "[OPTION]... [FILE]...",
	.summary = "Packs netCDF classic files into archives FILE.nc3z and "
		   "restores them bit for bit.\n"
		   "Input may be inside gzip, bzip2, zstd or xz.\n"
		   "Without FILE, or if FILE is -, reads standard input and "
		   "writes standard output.",
	.rows = rows,
	.footer = "The environment variable NC3Z_OPTIONS may set the level, "
		  "-T, -q, -v, --codec,\n--chunks and --max-memory.\n"
		  "Exit status: 0 done, 1 failed, 2 wrong usage, 3 done with "
		  "a warning, 4 damaged,\n5 more to do, 6 nothing found.\n",
	.targets = option_targets,
	.take = take_option,
};

/* What is so, by letter and name, and what it excludes, by letters. */
struct fact {
	char letter;
	const char *name;
	bool is_so;
	const char *excludes;
};

static int check_facts(const struct fact *facts, size_t n)
{
	for (size_t i = 0; i < n * n; i++) {
		size_t a = i / n, b = i % n;

		if (facts[a].is_so && facts[b].is_so && facts[b].letter &&
		    strchr(facts[a].excludes, facts[b].letter)) {
			message_error(NULL, "%s cannot be combined with %s",
				      facts[a].name, facts[b].name);
			return -1;
		}
	}
	return 0;
}

static int check(const struct settings *s, int noperands, char **operands)
{
	const struct compress_settings *c = compress_settings(s);
	const enum compress_mode mode = c->mode;
	const bool packs = mode == COMPRESS_PACK;
	const bool is_picky = s->exclude.count + s->include.count > 0;
	const bool from_stdin = noperands > 0 ? strcmp(*operands, "-") == 0 :
						!s->files0_from && !s->is_plan;
	const bool to_stdout = settings_write_stdout(s);
	const bool is_filter = from_stdin && !s->output;
	const bool has_lines = s->json && !c->dry_run &&
			       (packs || mode == COMPRESS_RESTORE);
	const struct fact facts[] = {
		{ 'd', "-d", mode == COMPRESS_RESTORE, "" },
		{ 't', "-t", mode == COMPRESS_TEST, "" },
		{ 'l', "-l", mode == COMPRESS_LIST, "" },
		{ '<', "standard input", from_stdin, "" },
		{ '>', "standard output", to_stdout || is_filter, "" },
		{ 'm',
		  s->output && !s->output_dir ?
			  "several inputs: use --output-dir" :
			  "several inputs",
		  !settings_have_one_input(s, noperands), "" },
		{ 'f', "a command without -r", !s->recursive, "" },
		{ 'r', "-r", s->recursive, "" },
		{ 'a', "--older-than", s->older_seconds > 0, "" },
		{ 'j', "--json", s->json, "" },
		{ 'u', "--until", s->until_seconds > 0, "" },
		{ 'n', "other names", noperands > 0, "" },
		{ 'y', "--dry-run", c->dry_run, "dtl" },
		{ 'c', "-c", s->to_stdout, "tly" },
		{ 0, "packing to -c", s->to_stdout && packs, "m" },
		{ 'o', "-o", s->output, "tlycm" },
		{ 'p', "--part", c->is_part, "dtly<" },
		{ 0, "--output-dir", s->output_dir, "tlyco<" },
		{ 0, "--update", s->update, "tlp<>" },
		{ 0, "--rm", s->remove, "tlp<>" },
		{ 0, "--verify", s->verify, "tlp>" },
		{ 'J', "--journal", s->journal, "lp" },
		{ 0, "--json", has_lines, ">" },
		{ 0, "--exclude or --include", is_picky, "f" },
		{ 0, "--offline", s->offline, "f" },
		{ '0', "--files0-from", s->files0_from, "n" },
		{ 0, "a plan", s->is_plan, "lcoypr<najuJ0" },
	};

	return check_facts(facts, sizeof(facts) / sizeof(*facts));
}

const struct program_options compress_options = {
	.table = &table,
	.settings_nbytes = sizeof(struct compress_settings),
	.packs = true,
	.check = check,
};
