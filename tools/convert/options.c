/* SPDX-License-Identifier: MIT */
#include "convert/options.h"

#include <stddef.h>
#include <string.h>

#include "batch/options.h"
#include "common/message.h"

static const struct option_row rows[] = {
	OPTION_ROWS_LEVEL,
	OPTION_ROW_CODEC,
	OPTION_ROW_CHUNKS,
	{ KEY_JOIN, "join", NULL,
	  "join all parts of a file, given as FILEs, to its archive" },
	{ KEY_TO, "to", "FORMAT",
	  "netcdf4: from classic files and archives; classic, nc3z: back from "
	  "such files" },
	OPTION_ROW_OUTPUT,
	OPTION_ROW_OUTPUT_DIR,
	{ 'f', "force", NULL,
	  "replace files, also archives that are the input" },
	{ 'r', "recursive", NULL,
	  "all archives in directories; with --to=netcdf4 also *.nc, with "
	  "--to=classic and --to=nc3z *.nc4" },
	OPTION_ROW_UPDATE,
	OPTION_ROW_RM,
	OPTION_ROW_FILES0_FROM,
	OPTION_ROW_MAX_MEMORY,
	OPTION_ROW_MAX_SIZE("with --to=classic and --to=nc3z, take"),
	OPTION_ROW_THREADS,
	OPTION_ROW_JOURNAL,
	OPTION_ROW_UNTIL,
	OPTION_ROW_CHECK_PLAN,
	OPTION_ROW_QUIET,
	OPTION_ROW_VERBOSE,
	OPTION_ROWS_END,
};

static int take_target(struct convert_settings *c, const char *name)
{
	static const char *const names[] = {
		[TARGET_NETCDF4] = "netcdf4",
		[TARGET_CLASSIC] = "classic",
		[TARGET_NC3Z] = "nc3z",
	};

	for (int i = TARGET_NETCDF4; i <= TARGET_NC3Z; i++)
		if (strcmp(name, names[i]) == 0) {
			c->target = (enum convert_target)i;
			return 0;
		}
	message_error(NULL,
		      "unknown format %s: netcdf4, classic and nc3z are "
		      "known",
		      name);
	return -1;
}

static int take_option(void *context, int key, const char *argument)
{
	struct convert_settings *c = context;

	switch (key) {
	case KEY_TO:
		return take_target(c, argument);
	case KEY_JOIN:
		c->joins = true;
		return 0;
	default:
		return option_take_shared(context, key, argument);
	}
}

static const struct option_table table = {
	.program = "nc3convert",
	.usage = "[OPTION]... FILE...",
	.summary =
		"Converts archives to another level, codec or layout, without "
		"a classic file\n"
		"in between. Without -o or --output-dir, it replaces them, "
		"which needs -f.\n"
		"With --to=netcdf4, writes netCDF-4 files that other programs "
		"read, x.nc4 from x.nc\n"
		"or x.nc.nc3z; --to=classic restores the classic files.\n"
		"Of two names, the second is written if it is new and ends in "
		".nc4, .nc or .nc3z.\n"
		"Without FILE, or if FILE is -, reads standard input and "
		"writes standard output.\n"
		"Each archive is read back and compared before it gets its "
		"name.",
	.rows = rows,
	.footer = "The environment variable NC3Z_OPTIONS may set the level, "
		  "-T, -q, -v, --codec\nand --max-memory.\n"
		  "Exit status: 0 done, 1 failed, 2 wrong usage, 3 done with "
		  "a warning, 4 damaged,\n5 more to do, 6 nothing found.\n",
	.targets = option_targets,
	.take = take_option,
};

static const char *find_contradiction(const struct settings *s, int noperands,
				      char **operands)
{
	const struct convert_settings *c = (const struct convert_settings *)s;
	enum convert_target target = c->target;
	bool joins = c->joins;
	bool from_stdin = noperands > 0 ? strcmp(*operands, "-") == 0 :
					  !s->files0_from && !s->is_plan;

	if (s->is_plan && (joins || target != TARGET_AS_IS || s->output_dir ||
			   s->recursive || s->files0_from || s->journal ||
			   s->until_seconds > 0 || noperands > 0))
		return "a plan converts files of a list in place";
	if (s->files0_from && noperands > 0)
		return "--files0-from excludes other names";
	if (joins && target != TARGET_AS_IS)
		return "--join and --to exclude each other";
	if (joins && noperands == 0)
		return "--join takes the names of all parts of a file";
	if (joins && (!s->output || settings_write_stdout(s)))
		return "--join needs -o and the name of a file";
	if (joins && (s->recursive || s->files0_from || s->output_dir ||
		      s->journal || s->until_seconds > 0))
		return "--join takes only -o, -f, -T, -q and -v";
	if (s->max_original_nbytes > 0 && target != TARGET_CLASSIC &&
	    target != TARGET_NC3Z)
		return "--max-size needs --to=classic or --to=nc3z";
	if ((s->remove || s->update) && target == TARGET_AS_IS)
		return "--rm and --update need --to";
	if ((s->remove || s->update) &&
	    (from_stdin || settings_write_stdout(s)))
		return "--rm and --update need input and output files";
	if (s->output && s->output_dir)
		return "--output-dir and -o exclude each other";
	if (s->output && !joins && !settings_have_one_input(s, noperands))
		return "-o takes one input file";
	return NULL;
}

static int check_options(const struct settings *settings, int noperands,
			 char **operands)
{
	const char *wrong = find_contradiction(settings, noperands, operands);

	if (wrong)
		message_error(NULL, "%s", wrong);
	return wrong ? -1 : 0;
}

const struct program_options convert_options = {
	.table = &table,
	.settings_nbytes = sizeof(struct convert_settings),
	.check = check_options,
};
