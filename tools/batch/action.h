/* SPDX-License-Identifier: MIT */
/*
 * What a program does with each file.  Where programs differ, the flow asks
 * this.
 */
#ifndef NC3Z_TOOLS_BATCH_ACTION_H
#define NC3Z_TOOLS_BATCH_ACTION_H

#include "batch/outcome.h"
#include "batch/settings.h"
#include "common/message.h"

struct job;

/* What the inputs are; in directories they are told by their names. */
enum batch_input {
	TAKES_CLASSIC, /* classic files, also compressed ones */
	TAKES_ARCHIVES,
	TAKES_BOTH,
	TAKES_NETCDF4, /* exact netCDF-4 files */
	TAKES_ALL,     /* files of any kind */
};

enum batch_output {
	MAKES_NOTHING,
	MAKES_ARCHIVE,
	MAKES_PART, /* of an archive */
	MAKES_CLASSIC,
	MAKES_NETCDF4,
};

/* How a name changes at its end; '%' is the suffix of archives. */
struct batch_ending {
	const char *from;
	const char *to;
};

struct batch_action {
	/*
	 * Does all of a job; NULL: the flow does, and 'work' makes the output
	 * of the input, or checks it where nothing is made; a status of the
	 * library.
	 */
	enum exit_status (*run)(struct job *job);
	int (*work)(struct job *job);
	enum batch_input takes;
	enum batch_output makes; /* or would, if it 'samples' */
	/*
	 * The first that fits makes the name of the output; of a classic file,
	 * all that are not "" only if it is compressed.
	 */
	const struct batch_ending *endings;
	const char *unnamed;       /* where none fits; NULL: one always does */
	const char *none_found;    /* instead of "no archive was found" */
	enum outcome_kind outcome; /* if all goes well */
	bool lists;                /* prints about each file, in their order */
	bool samples;    /* some files, and one thread for each, will do */
	bool peeks;      /* reads here and there, not from begin to end */
	bool seeks;      /* so that a pipe will not do */
	bool anywhere;   /* also in tars, and from URLs */
	bool verifies;   /* all that it makes, if that has a name */
	bool is_shallow; /* reads stored bytes, and decodes nothing */
};

/* Whether each input has an output, in a file or on standard output. */
static inline bool action_writes(const struct batch_action *action)
{
	return action->makes != MAKES_NOTHING && !action->samples;
}

#endif
