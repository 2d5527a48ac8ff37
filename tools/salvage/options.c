/* SPDX-License-Identifier: MIT */
#include "salvage/options.h"

#include <stdint.h>

#include "batch/options.h"
#include "common/argument.h"
#include "common/message.h"

static int take_archive(struct salvage_settings *s, const char *text)
{
	if (argument_parse_count(text, 1, UINT32_MAX, &s->archive))
		return 0;
	message_error(NULL, "%s is not the number of an archive", text);
	return -1;
}

static int take_option(void *context, int key, const char *argument)
{
	return key == KEY_ARCHIVE ? take_archive(context, argument) :
				    option_take_shared(context, key, argument);
}

static const struct option_row rows[] = {
	OPTION_ROW_OUTPUT,
	{ 'f', "force", NULL, "replace FILE; rebuild an original of any size" },
	{ KEY_ARCHIVE, "archive", "N",
	  "take the Nth archive found, not the largest" },
	OPTION_ROW_MAX_SIZE("rebuild"),
	OPTION_ROW_MAX_MEMORY,
	OPTION_ROW_THREADS,
	{ KEY_JSON, "json", NULL, "print the list of losses as JSON" },
	OPTION_ROW_QUIET,
	OPTION_ROWS_END,
};

static const struct option_table table = {
	.program = "nc3salvage",
	.usage = "[OPTION]... -o FILE DAMAGED...",
	.summary = "Rebuilds one archive from its remains: a damaged archive, "
		   "its first part, several\n"
		   "damaged copies, the image of a disk. Prints a list of the "
		   "values that are lost.",
	.rows = rows,
	.footer = "The environment variable NC3Z_OPTIONS may set -T, -q and "
		  "--max-memory.\n"
		  "Exit status: 0 nothing is lost, 1 failed, 2 wrong usage, "
		  "3 something is lost,\nor there were other archives, 4 too "
		  "little is left.\n",
	.targets = option_targets,
	.take = take_option,
};

static int check_options(const struct settings *settings, int noperands,
			 char **operands)
{
	(void)operands;
	if (noperands == 0)
		message_error(NULL, "no damaged file is named");
	else if (!settings->output || settings_write_stdout(settings))
		message_error(NULL, "-o and the name of a file are needed");
	else
		return 0;
	return -1;
}

const struct program_options salvage_options = {
	.table = &table,
	.settings_nbytes = sizeof(struct salvage_settings),
	.check = check_options,
};
