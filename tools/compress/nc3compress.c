/* SPDX-License-Identifier: MIT */
/*
 * nc3compress: packs netCDF classic files, restores, tests and lists archives.
 *
 * Each file is one job.  A job that fails says why, leaves no output, and the
 * others go on; the exit status is the most serious one.
 */
#include "batch/batch.h"
#include "batch/program.h"
#include "batch/report.h"
#include "compress/actions.h"
#include "compress/estimates.h"
#include "compress/list.h"
#include "compress/options.h"

static enum exit_status act_on_files(struct settings *settings, int noperands,
				     char **operands)
{
	enum exit_status status;

	actions_choose(settings);
	if (settings->action->peeks)
		list_begin(settings);
	status = batch_run(settings, noperands, operands);
	if (settings->action->peeks)
		list_end(settings);
	else if (settings->action->samples)
		estimates_end(settings, report_count(OUTCOME_FOUND));
	return status;
}

int main(int argc, char **argv)
{
	return program_main(&compress_options, act_on_files, argc, argv);
}
