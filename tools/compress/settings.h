/* SPDX-License-Identifier: MIT */
/* The settings from the command line of nc3compress. */
#ifndef NC3Z_TOOLS_COMPRESS_SETTINGS_H
#define NC3Z_TOOLS_COMPRESS_SETTINGS_H

#include <stdbool.h>

#include "nc3z.h"

enum compress_action {
	ACTION_PACK,
	ACTION_RESTORE,
	ACTION_TEST,
	ACTION_LIST,
	ACTION_CONVERT,
	ACTION_MANIFEST,
	ACTION_CHECK_MANIFEST,
	ACTION_SALVAGE,
	ACTION_JOIN,
	ACTION_HELP,
	ACTION_VERSION,
	ACTION_COMPLETION,
};

/* Arguments of an option that may be given several times. */
struct settings_list {
	const char **list;
	size_t count;
	bool *matched; /* of patterns: there was something like that */
};

struct settings {
	enum compress_action action;
	bool to_stdout;
	bool force;
	bool quiet;
	bool verbose;
	bool recursive;
	bool remove;
	bool remove_all; /* also what the archive does not restore */
	bool verify;
	bool sparse;
	bool json;
	bool dry_run;
	bool quick;
	bool update;
	bool replaces_stale;     /* archives of other originals, too */
	const char *suffix;      /* of archives */
	const char *output;      /* NULL: made from the name of the input */
	const char *output_dir;  /* NULL: where the input is */
	const char *files0_from; /* NULL: none */
	const char *journal;     /* NULL: none */
	const char *manifest;    /* of ACTION_CHECK_MANIFEST */
	const char *shell;       /* of ACTION_COMPLETION */
	unsigned nthreads;       /* 0: as many as there are processors */
	unsigned archive;        /* of ACTION_SALVAGE; 0: the largest */
	bool is_part;            /* packs only this part: */
	unsigned part_number;
	unsigned part_count;
	int level;
	int codec;
	uint32_t block_nbytes;
	struct settings_list chunks;
	struct settings_list rechunk;
	struct settings_list exclude;
	struct settings_list include;
	uint64_t older_seconds; /* 0: files of any age */
	unsigned until_seconds; /* 0: no end */
	uint64_t max_memory_nbytes;
	uint64_t max_original_nbytes; /* 0: no limit */
	unsigned umask;               /* of the process */
	char *environment; /* what options of the environment point into */
	unsigned defaults; /* enum settings_default: from there alone */
};

/*
 * Options that go with some actions only.  Where the environment alone asks for
 * them and they do not go with the command line, they are left out.
 */
enum settings_default {
	DEFAULT_REMOVE = 1,
	DEFAULT_VERIFY = 2,
	DEFAULT_QUICK = 4,
	DEFAULT_JSON = 8,
	DEFAULT_DRY_RUN = 16,
	DEFAULT_ARCHIVE = 32,
	DEFAULT_OUTPUT = 64,
	DEFAULT_STDOUT = 128,
	DEFAULT_FILES0_FROM = 256,
	DEFAULT_RECURSIVE = 512,
	DEFAULT_UPDATE = 1024,
	DEFAULT_OUTPUT_DIR = 2048,
	DEFAULT_PATTERNS = 4096,
	DEFAULT_OLDER_THAN = 8192,
	DEFAULT_JOURNAL = 16384,
	DEFAULT_UNTIL = 32768,
	DEFAULT_END = 65536,
};

/*
 * settings_check.c: leaves out defaults that do not go with the rest, and says
 * what contradicts itself; -1 after a message.
 */
int settings_check(struct settings *s, int noperands, char **operands);

#endif
