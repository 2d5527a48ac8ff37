/* SPDX-License-Identifier: MIT */
#include "manifest/options.h"

#include <stddef.h>
#include <string.h>

#include "batch/options.h"
#include "common/message.h"

static int take_format(struct manifest_settings *m, const char *name)
{
	static const char *const names[] = {
		[REPORT_TABLE] = "table",
		[REPORT_CSV] = "csv",
		[REPORT_JSON] = "json",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strcmp(name, names[i]) == 0) {
			m->report_form = (enum report_form)i;
			return 0;
		}
	message_error(NULL, "unknown format %s: table, csv and json are known",
		      name);
	return -1;
}

static int take_option(void *context, int key, const char *argument)
{
	struct manifest_settings *m = context;

	switch (key) {
	case 'c':
		m->checks = true;
		return 0;
	case KEY_REPORT:
		m->report_by = argument ? argument : "";
		return 0;
	case KEY_FORMAT:
		return take_format(m, argument);
	case KEY_QUICK:
		m->quick = true;
		return 0;
	default:
		return option_take_shared(m, key, argument);
	}
}

static const struct option_row rows[] = {
	{ 'c', "check", NULL, "check the files and originals that FILEs list" },
	{ KEY_QUICK, "quick", NULL,
	  "decode nothing: check stored bytes; without -c, print no list" },
	{ KEY_REPORT, "report", "[BY]",
	  "print sums of sizes: of all, by 'directory', or by what the "
	  "regular expression BY finds in names" },
	{ KEY_FORMAT, "format", "FORM",
	  "of --report: table, csv or json [table]" },
	{ 'r', "recursive", NULL, "all archives in directories" },
	OPTION_ROW_FILES0_FROM,
	OPTION_ROW_SUFFIX,
	OPTION_ROW_MAX_SIZE("with -c, decode"),
	OPTION_ROW_THREADS,
	{ KEY_JSON, "json", NULL, "with -c or --quick, report as JSON" },
	OPTION_ROW_QUIET,
	OPTION_ROW_VERBOSE,
	OPTION_ROWS_END,
};

static const struct option_table table = {
	.program = "nc3manifest",
	.usage = "[OPTION]... [FILE]...",
	.summary =
		"Prints two lines for each archive, as sha256sum does: the "
		"SHA-256 of the archive\n"
		"and the SHA-256 of its original. Archives are read whole and "
		"checked. FILE may\n"
		"be a tar or a URL.",
	.rows = rows,
	.footer = "The environment variable NC3Z_OPTIONS may set -T, -q and "
		  "-v.\n"
		  "Exit status: 0 done, 1 failed, 2 wrong usage, 3 done with "
		  "a warning, 4 damaged\nor not as listed, 6 nothing found.\n",
	.targets = option_targets,
	.take = take_option,
};

static const char *find_contradiction(const struct settings *s, int noperands)
{
	const struct manifest_settings *m = manifest_settings(s);

	if (s->files0_from && noperands > 0)
		return "--files0-from excludes other names";
	if (m->checks && (s->recursive || s->files0_from))
		return "-c takes lists, not directories or names from a file";
	if (m->report_by && (m->checks || m->quick))
		return "--report cannot be combined with -c and --quick";
	if (m->report_form != REPORT_TABLE && !m->report_by)
		return "--format needs --report";
	if (s->json && !m->checks && !m->quick)
		return m->report_by ? "--json needs -c or --quick: use "
				      "--format=json" :
				      "--json needs -c or --quick: lists have "
				      "their own form";
	return NULL;
}

static int check_options(const struct settings *settings, int noperands,
			 char **operands)
{
	const char *wrong = find_contradiction(settings, noperands);

	(void)operands;
	if (wrong)
		message_error(NULL, "%s", wrong);
	return wrong ? -1 : 0;
}

const struct program_options manifest_options = {
	.table = &table,
	.settings_nbytes = sizeof(struct manifest_settings),
	.check = check_options,
};
