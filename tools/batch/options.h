/* SPDX-License-Identifier: MIT */
/*
 * The options that several programs have: their rows for the table of a
 * program, and taking them.
 */
#ifndef NC3Z_TOOLS_BATCH_OPTIONS_H
#define NC3Z_TOOLS_BATCH_OPTIONS_H

#include "common/option.h"

/* Options of any of the programs that have no short form. */
enum option_key {
	KEY_CODEC = 256,
	KEY_RM,
	KEY_VERIFY,
	KEY_SPARSE,
	KEY_JSON,
	KEY_FILES0_FROM,
	KEY_COMPLETION,
	KEY_CHUNKS,
	KEY_MAX_MEMORY,
	KEY_MAX_SIZE,
	KEY_DRY_RUN,
	KEY_QUICK,
	KEY_ARCHIVE,
	KEY_UPDATE,
	KEY_OUTPUT_DIR,
	KEY_EXCLUDE,
	KEY_INCLUDE,
	KEY_OLDER_THAN,
	KEY_JOURNAL,
	KEY_UNTIL,
	KEY_PART,
	KEY_JOIN,
	KEY_TO,
	KEY_REPORT,
	KEY_FORMAT,
	KEY_CHECK_PLAN,
	KEY_OFFLINE,
};

#define OPTION_ROW_OUTPUT \
	{ \
		'o', "output", "FILE", "write to FILE" \
	}
#define OPTION_ROW_OUTPUT_DIR \
	{ \
		KEY_OUTPUT_DIR, "output-dir", "DIR", \
			"write to DIR, with paths as below the named " \
			"directories" \
	}
#define OPTION_ROW_SUFFIX \
	{ \
		'S', "suffix", "SUF", "use suffix SUF for archives [.nc3z]" \
	}
#define OPTION_ROW_UPDATE \
	{ \
		KEY_UPDATE, "update", "[replace]", \
			"skip files that are done, and redo files that grew; " \
			"replace: redo all files that changed" \
	}
#define OPTION_ROW_RM \
	{ \
		KEY_RM, "rm", "[all]", \
			"remove an input file once its output has been " \
			"verified; all: links and compressed files, too" \
	}
#define OPTION_ROW_FILES0_FROM \
	{ \
		KEY_FILES0_FROM, "files0-from", "FILE", \
			"read names, each ending in a NUL, from FILE" \
	}
#define OPTION_ROWS_LEVEL \
	{ '0', NULL, NULL, "store only; the fastest level" }, \
		{ '1', "fast", NULL, "compress fast" }, \
		{ '2', NULL, NULL, NULL }, { '3', NULL, NULL, NULL }, \
		{ '4', NULL, NULL, NULL }, \
		{ '5', NULL, NULL, "the default level" }, \
		{ '6', NULL, NULL, NULL }, { '7', NULL, NULL, NULL }, \
		{ '8', NULL, NULL, NULL }, \
	{ \
		'9', "best", NULL, "compress best" \
	}
#define OPTION_ROW_CODEC \
	{ \
		KEY_CODEC, "codec", "NAME", \
			"zstd (default), deflate, bzip2, store, lzma" \
	}
#define OPTION_ROW_CHUNKS \
	{ \
		KEY_CHUNKS, "chunks", "SPEC", \
			"cut variables into chunks: auto, record, series, " \
			"balanced, linear, or lengths as in nccopy: " \
			"DIM/N,... or VAR:N,N,..." \
	}
#define OPTION_ROW_MAX_MEMORY \
	{ \
		KEY_MAX_MEMORY, "max-memory", "SIZE", \
			"limit of the memory for chunks or blocks [256M]" \
	}
#define OPTION_ROW_MAX_SIZE(what) \
	{ \
		KEY_MAX_SIZE, "max-size", "SIZE", \
			what " no original larger than SIZE" \
	}
#define OPTION_ROW_THREADS \
	{ \
		'T', "threads", "N", \
			"use N threads; 0: all processors that the process " \
			"may use [0]" \
	}
#define OPTION_ROW_JOURNAL \
	{ \
		KEY_JOURNAL, "journal", "FILE", \
			"append a line of JSON for each file to FILE" \
	}
#define OPTION_ROW_UNTIL \
	{ \
		KEY_UNTIL, "until", "SECONDS", \
			"start no file that would probably end later than " \
			"this" \
	}
#define OPTION_ROW_CHECK_PLAN \
	{ \
		KEY_CHECK_PLAN, "check-plan", NULL, \
			"only check options, as nc3farm plan does" \
	}
#define OPTION_ROW_QUIET \
	{ \
		'q', "quiet", NULL, "no warnings, no summary, no progress" \
	}
#define OPTION_ROW_VERBOSE \
	{ \
		'v', "verbose", NULL, "report what is done with each file" \
	}
/* The last ones of every table. */
#define OPTION_ROWS_END \
	{ 'h', "help", NULL, "show this help" }, \
		{ 'V', "version", NULL, "show the version" }, \
		{ KEY_COMPLETION, "completion", "SHELL", \
		  "print a completion script for bash, fish or zsh" }, \
	{ \
		0, NULL, NULL, NULL \
	}

/* The fields of struct settings that options set. */
extern const struct option_target option_targets[];

/*
 * Takes an option that has no target, as option.h says it; the context is the
 * struct settings.
 */
int option_take_shared(void *context, int key, const char *argument);

/* The same of options that one program has. */
struct settings_list;
int option_take_text(struct settings_list *list, const char *text);

#endif
