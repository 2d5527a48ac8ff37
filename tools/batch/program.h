/* SPDX-License-Identifier: MIT */
/* What every program that works on many files does first and last. */
#ifndef NC3Z_TOOLS_BATCH_PROGRAM_H
#define NC3Z_TOOLS_BATCH_PROGRAM_H

#include "batch/settings_parse.h"
#include "common/message.h"

/*
 * Its main(): parses the command line, answers --help and the like, and calls
 * 'act' for all else.
 */
int program_main(const struct program_options *options,
		 enum exit_status (*act)(struct settings *settings,
					 int noperands, char **operands),
		 int argc, char **argv);

#endif
