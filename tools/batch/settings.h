/* SPDX-License-Identifier: MIT */
/* The settings from the command line of a program that works on many files. */
#ifndef NC3Z_TOOLS_BATCH_SETTINGS_H
#define NC3Z_TOOLS_BATCH_SETTINGS_H

#include <stdbool.h>

#include "nc3z.h"

struct batch_action;

/* What a program is asked about itself. */
enum question {
	ASKS_NOTHING,
	ASKS_HELP,
	ASKS_VERSION,
	ASKS_COMPLETION,
};

/* Arguments of an option that may be given several times. */
struct settings_list {
	const char **list;
	size_t count;
	bool *matched; /* of patterns: there was something like that */
};

/*
 * What the programs share.  Each sets what it has options for; what only its
 * own code asks for is in a struct of its own that begins with this one.
 */
struct settings {
	const struct batch_action *action; /* set before files are dealt with */
	enum question question;
	bool to_stdout; /* after they were checked: also by -o - */
	bool force;
	bool quiet;
	bool verbose;
	bool recursive;
	bool remove;
	bool remove_all; /* also what the archive does not restore */
	bool leaves_odd; /* in a dry run: as --rm leaves files alone */
	bool verify;
	bool sparse;
	bool json;
	bool offline; /* packs also what is not on the disk */
	bool is_plan; /* checks options for a list of names to come */
	bool update;
	bool replaces_stale;     /* archives of other originals, too */
	const char *suffix;      /* of archives */
	const char *output;      /* NULL: made from the name of the input */
	const char *output_dir;  /* NULL: where the input is */
	const char *files0_from; /* NULL: none */
	const char *journal;     /* NULL: none */
	const char *shell;       /* of ASKS_COMPLETION */
	unsigned nthreads;       /* 0: as many as there are processors */
	int level;
	int codec;
	uint32_t block_nbytes;
	struct settings_list chunks;
	struct settings_list exclude;
	struct settings_list include;
	uint64_t older_seconds; /* 0: files of any age */
	unsigned until_seconds; /* 0: no end */
	uint64_t max_memory_nbytes;
	uint64_t max_original_nbytes; /* 0: no limit */
	unsigned umask;               /* of the process */
	char *environment; /* what options of the environment point into */
};

/* Whether the output is standard output, by -c or -o. */
bool settings_write_stdout(const struct settings *settings);

/* Whether there is one input at most, as far as the command line tells. */
bool settings_have_one_input(const struct settings *settings, int noperands);

#endif
