/* SPDX-License-Identifier: MIT */
/* nc3salvage: one archive out of damaged files, and a list of what is lost. */
#include "batch/program.h"
#include "salvage/options.h"

static enum exit_status act(struct settings *settings, int noperands,
			    char **operands)
{
	return merge_run(settings, noperands, operands, salvage_make);
}

int main(int argc, char **argv)
{
	return program_main(&salvage_options, act, argc, argv);
}
