/* SPDX-License-Identifier: MIT */
/*
 * nc3convert: archives into archives with other chunks, another level or codec,
 * and the parts of a file into its archive.
 */
#include "batch/batch.h"
#include "batch/program.h"
#include "convert/convert.h"

static enum exit_status act_on_files(struct settings *settings, int noperands,
				     char **operands)
{
	struct convert_settings *c = convert_settings(settings);
	enum exit_status status;

	if (c->joins)
		return merge_run(settings, noperands, operands, join_make);
	status = operands_take_output(c, &noperands, operands);
	if (status != EXIT_DONE)
		return status;
	settings->action = &convert_actions[c->target];
	return batch_run(settings, noperands, operands);
}

int main(int argc, char **argv)
{
	return program_main(&convert_options, act_on_files, argc, argv);
}
