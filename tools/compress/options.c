/* SPDX-License-Identifier: MIT */
/* The options of nc3compress, and taking those that it alone has. */
#include "compress/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "batch/options.h"
#include "common/argument.h"
#include "common/message.h"
#include "compress/contradictions.h"
#include "nc3z_tools.h"

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

static int take_part(struct settings *s, const char *text)
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

static int take(void *context, int key, const char *argument)
{
	struct settings *s = context;

	switch (key) {
	case 'c':
		s->to_stdout = true;
		return 0;
	case 'b':
		return take_block_size(s, argument);
	case KEY_PART:
		return take_part(s, argument);
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
	.take = take,
};

const struct program_options compress_options = {
	.table = &table,
	.action = ACTION_PACK,
	.check = contradictions_check,
};
