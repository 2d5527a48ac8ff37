/* SPDX-License-Identifier: MIT */
/* The settings from the command line of a program that works on many files. */
#ifndef NC3Z_TOOLS_BATCH_SETTINGS_H
#define NC3Z_TOOLS_BATCH_SETTINGS_H

#include <stdbool.h>

#include "nc3z.h"

enum action {
	ACTION_PACK,
	ACTION_RESTORE,
	ACTION_TEST,
	ACTION_LIST,
	ACTION_CONVERT,
	ACTION_JOIN,
	ACTION_MANIFEST,
	ACTION_CHECK_MANIFEST,
	ACTION_SALVAGE,
	ACTION_HELP,
	ACTION_VERSION,
	ACTION_COMPLETION,
};

/* What nc3convert makes. */
enum target {
	TARGET_AS_IS,   /* archives of archives */
	TARGET_NETCDF4, /* of classic files and archives */
	TARGET_CLASSIC, /* of such netCDF-4 files, as are */
	TARGET_NC3Z,
};

/* How sums are printed. */
enum report_form {
	REPORT_TABLE,
	REPORT_CSV,
	REPORT_JSON,
};

/* Arguments of an option that may be given several times. */
struct settings_list {
	const char **list;
	size_t count;
	bool *matched; /* of patterns: there was something like that */
};

/* Each program sets those that it has options for. */
struct settings {
	enum action action;
	enum target target;
	bool to_stdout;
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
	bool dry_run;
	bool offline; /* packs also what is not on the disk */
	bool is_plan; /* checks options for a list of names to come */
	bool quick;
	bool update;
	bool replaces_stale;     /* archives of other originals, too */
	const char *suffix;      /* of archives */
	const char *output;      /* NULL: made from the name of the input */
	const char *output_dir;  /* NULL: where the input is */
	const char *files0_from; /* NULL: none */
	const char *journal;     /* NULL: none */
	const char *shell;       /* of ACTION_COMPLETION */
	/* What ACTION_LIST sums by: "" for all, or NULL: it lists. */
	const char *report_by;
	enum report_form report_form;
	unsigned nthreads; /* 0: as many as there are processors */
	unsigned archive;  /* of ACTION_SALVAGE; 0: the largest */
	bool is_part;      /* packs only this part: */
	unsigned part_number;
	unsigned part_count;
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
