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

static enum exit_status act_on_files(struct settings *settings, int noperands,
				     char **operands)
{
	const struct manifest_settings *m = manifest_settings(settings);
	enum exit_status status;

	if (m->checks)
		return check_run(settings, noperands, operands);
	if (m->report_by && !sums_begin(m))
		return EXIT_USAGE;
	settings->action = m->report_by ? &sums_action :
			   m->quick     ? &archive_quick_action :
					  &archive_lines_action;
	status = batch_run(settings, noperands, operands);
	if (m->report_by)
		sums_end();
	return status;
}

int main(int argc, char **argv)
{
	return program_main(&manifest_options, act_on_files, argc, argv);
}
