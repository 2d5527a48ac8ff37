/* SPDX-License-Identifier: MIT */
/*
 * nc3manifest: lists of SHA-256, as sha256sum has them, of archives and of the
 * originals inside; the check that writing one includes; and sums of sizes.
 */
#include "batch/batch.h"
#include "batch/program.h"
#include "manifest/archive.h"
#include "manifest/check.h"
#include "manifest/options.h"
#include "manifest/sums.h"

static enum exit_status report(const struct settings *settings, int noperands,
			       char **operands)
{
	const struct batch_action sum = { .run = sums_add, .in_order = true };
	enum exit_status status;

	if (!sums_begin(settings))
		return EXIT_USAGE;
	status = batch_run(settings, noperands, operands, &sum);
	sums_end(settings);
	return status;
}

static enum exit_status act(const struct settings *settings, int noperands,
			    char **operands)
{
	const struct batch_action list = { .run = archive_write_lines,
					   .in_order = true };
	const struct batch_action check = { .run = archive_check_quickly };

	if (settings->action == ACTION_CHECK_MANIFEST)
		return check_run(settings, noperands, operands);
	if (settings->report_by)
		return report(settings, noperands, operands);
	return batch_run(settings, noperands, operands,
			 settings->quick ? &check : &list);
}

int main(int argc, char **argv)
{
	return program_main(&manifest_options, act, argc, argv);
}
