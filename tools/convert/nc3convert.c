/* SPDX-License-Identifier: MIT */
/*
 * nc3convert: archives into archives with other chunks, another level or codec,
 * and the parts of a file into its archive.
 */
#include "batch/batch.h"
#include "batch/program.h"
#include "convert/convert.h"
#include "convert/join.h"
#include "convert/operands.h"
#include "convert/options.h"

static enum exit_status act(const struct settings *settings, int noperands,
			    char **operands)
{
	const struct batch_action action = { .run = convert_run };
	struct settings s = *settings;

	if (s.action == ACTION_JOIN)
		return join_run(settings, noperands, operands);
	if (operands_take_output(&s, &noperands, operands) != 0)
		return EXIT_USAGE;
	/* Outputs and reports are then as those of nc3compress -d. */
	if (s.target == TARGET_CLASSIC)
		s.action = ACTION_RESTORE;
	return batch_run(&s, noperands, operands, &action);
}

int main(int argc, char **argv)
{
	return program_main(&convert_options, act, argc, argv);
}
