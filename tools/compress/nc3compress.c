/* SPDX-License-Identifier: MIT */
/*
 * nc3compress: packs netCDF classic files, restores, tests and lists archives.
 *
 * Each file is one job.  A job that fails says why, leaves no output, and the
 * others go on; the exit status is the most serious one.
 */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "compress/batch.h"
#include "compress/join.h"
#include "compress/deadline.h"
#include "compress/manifest.h"
#include "compress/salvage.h"
#include "compress/settings_parse.h"
#include "compress/signals.h"
#include "common/standard.h"

static enum exit_status run(const struct settings *settings, int noperands,
			    char **operands)
{
	struct file_names names = { 0 };
	enum exit_status status;

	deadline_set(settings->until_seconds);
	signals_start(settings->journal || settings->until_seconds > 0);
	status = files_collect(&names, settings, noperands, operands);
	status = batch_run(settings, &names, status);
	status = exit_worse(files_check_tars(&names, settings), status);
	files_release(&names);
	return status;
}

static enum exit_status act(const struct settings *settings, int noperands,
			    char **operands)
{
	switch (settings->action) {
	case ACTION_HELP:
		settings_print_help();
		return EXIT_DONE;
	case ACTION_VERSION:
		puts("nc3compress " NC3Z_VERSION);
		return EXIT_DONE;
	case ACTION_COMPLETION:
		return settings_print_completion(settings->shell) == 0 ?
			       EXIT_DONE :
			       EXIT_USAGE;
	case ACTION_CHECK_MANIFEST:
		return manifest_check(settings);
	case ACTION_JOIN:
		return join_run(settings, noperands, operands);
	case ACTION_SALVAGE:
		return salvage_run(settings, noperands, operands);
	default:
		return run(settings, noperands, operands);
	}
}

int main(int argc, char **argv)
{
	enum exit_status status = EXIT_USAGE;
	struct settings settings;
	mode_t mask;
	int first;

	standard_streams_hold();
	deadline_begin();
	mask = umask(0);
	umask(mask);
	message_init("nc3compress");
	first = settings_parse(&settings, argc, argv);
	settings.umask = (unsigned)mask;
	if (first >= 0)
		status = act(&settings, argc - first, argv + first);
	settings_release(&settings);
	return (int)standard_output_end(status);
}
