/* SPDX-License-Identifier: MIT */
/* From the command line of a program to its settings. */
#ifndef NC3Z_TOOLS_BATCH_SETTINGS_PARSE_H
#define NC3Z_TOOLS_BATCH_SETTINGS_PARSE_H

#include "batch/settings.h"
#include "common/option.h"

struct program_options {
	const struct option_table *table;
	size_t settings_nbytes; /* of the program's, the shared ones first */
	bool packs;             /* takes --chunks of the environment */
	/* Says what contradicts itself; -1 after a message. */
	int (*check)(const struct settings *settings, int noperands,
		     char **operands);
};

/*
 * Takes the options of the environment variable NC3Z_OPTIONS, then those of
 * the command line; 's' is the program's own.  Returns the index of the first
 * operand, or -1 after a message; to be released in any case.
 */
int settings_parse(struct settings *s, const struct program_options *program,
		   int argc, char **argv);

void settings_release(struct settings *s);

#endif
