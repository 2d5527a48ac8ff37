/* SPDX-License-Identifier: MIT */
/*
 * nc3convert: archives into archives with other chunks, another level or codec,
 * and the parts of a file into its archive.
 */
#include "batch/batch.h"
#include "batch/program.h"
#include "convert/convert.h"
#include "convert/join.h"
#include "convert/options.h"

static enum exit_status act(const struct settings *settings, int noperands,
			    char **operands)
{
	const struct batch_action action = { .run = convert_run };

	return settings->action == ACTION_JOIN ?
		       join_run(settings, noperands, operands) :
		       batch_run(settings, noperands, operands, &action);
}

int main(int argc, char **argv)
{
	return program_main(&convert_options, act, argc, argv);
}
