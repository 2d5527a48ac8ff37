/* SPDX-License-Identifier: MIT */
#include "batch/program.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "batch/deadline.h"
#include "common/progress.h"
#include "common/standard.h"

/* Answers what all programs are asked; false if that is not all. */
static bool answers(const struct option_table *table, const struct settings *s,
		    enum exit_status *status_ret)
{
	*status_ret = EXIT_DONE;
	switch (s->question) {
	case ASKS_HELP:
		option_print_help(table);
		return true;
	case ASKS_VERSION:
		printf("%s " NC3Z_VERSION "\n", table->program);
		return true;
	case ASKS_COMPLETION:
		if (option_print_completion(table, s->shell) != 0)
			*status_ret = EXIT_USAGE;
		return true;
	default:
		return false;
	}
}

int program_main(const struct program_options *options,
		 enum exit_status (*act)(struct settings *settings,
					 int noperands, char **operands),
		 int argc, char **argv)
{
	enum exit_status status = EXIT_USAGE;
	struct settings *s = calloc(1, options->settings_nbytes);
	mode_t mask;
	int first;

	standard_streams_hold();
	deadline_begin();
	mask = umask(0);
	umask(mask);
	message_init(options->table->program);
	if (!s)
		message_out_of_memory();
	first = settings_parse(s, options, argc, argv);
	s->umask = (unsigned)mask;
	if (s->quiet)
		progress_off();
	if (first >= 0 && !answers(options->table, s, &status))
		status = act(s, argc - first, argv + first);
	settings_release(s);
	free(s);
	return (int)standard_output_end(status);
}
