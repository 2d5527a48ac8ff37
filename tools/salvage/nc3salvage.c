/* SPDX-License-Identifier: MIT */
/* nc3salvage: one archive out of damaged files, and a list of what is lost. */
#include "batch/program.h"
#include "salvage/options.h"
#include "salvage/salvage.h"

int main(int argc, char **argv)
{
	return program_main(&salvage_options, salvage_run, argc, argv);
}
