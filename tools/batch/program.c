/* SPDX-License-Identifier: MIT */
#include "batch/program.h"

#include <stdio.h>
#include <sys/stat.h>

#include "batch/deadline.h"
#include "batch/report.h"
#include "common/progress.h"
#include "common/standard.h"

/* Answers what all programs are asked; false if that is not all. */
static bool answers(const struct option_table *table, const struct settings *s,
		    enum exit_status *status_ret)
{
	*status_ret = EXIT_DONE;
	switch (s->action) {
	case ACTION_HELP:
		option_print_help(table);
		return true;
	case ACTION_VERSION:
		printf("%s " NC3Z_VERSION "\n", table->program);
		return true;
	case ACTION_COMPLETION:
		if (option_print_completion(table, s->shell) != 0)
			*status_ret = EXIT_USAGE;
		return true;
	default:
		if (s->is_plan)
			printf("%s%c%s%c%s%c", report_action(s), '\0',
			       s->suffix, '\0',
			       s->output_dir ? s->output_dir : "", '\0');
		return s->is_plan;
	}
}

int program_main(const struct program_options *options,
		 enum exit_status (*act)(const struct settings *settings,
					 int noperands, char **operands),
		 int argc, char **argv)
{
	enum exit_status status = EXIT_USAGE;
	struct settings settings;
	mode_t mask;
	int first;

	standard_streams_hold();
	deadline_begin();
	mask = umask(0);
	umask(mask);
	message_init(options->table->program);
	first = settings_parse(&settings, options, argc, argv);
	settings.umask = (unsigned)mask;
	if (settings.quiet)
		progress_off();
	if (first >= 0 && !answers(options->table, &settings, &status))
		status = act(&settings, argc - first, argv + first);
	settings_release(&settings);
	return (int)standard_output_end(status);
}
