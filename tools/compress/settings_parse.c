/* SPDX-License-Identifier: MIT */
#include "compress/settings_parse.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/message.h"
#include "common/option.h"
#include "common/suffix.h"
#include "compress/settings_take.h"

#define ENVIRONMENT "NC3Z_OPTIONS"

static const struct option_row rows[] = {
	{ 'd', "decompress", NULL, "restore the original from an archive" },
	{ 't', "test", NULL, "check archives: every byte, every checksum" },
	{ KEY_QUICK, "quick", NULL,
	  "with -t: every stored byte and checksum, but decode nothing" },
	{ 'l', "list", NULL, "show sizes and ratio of archives" },
	{ KEY_RECODE, "recode", NULL,
	  "rewrite archives with another level, codec or block size" },
	{ KEY_RECHUNK, "rechunk", "SPEC",
	  "rewrite archives in chunks as for --chunks, or linear" },
	{ KEY_DRY_RUN, "dry-run", NULL,
	  "write nothing: estimate how much packing saves and takes; with "
	  "these two, say what they would read" },
	{ KEY_MANIFEST, "manifest", NULL,
	  "print SHA-256 lines of archives and their originals" },
	{ KEY_CHECK_MANIFEST, "check-manifest", "FILE",
	  "check the files and originals that such lines in FILE list" },
	{ KEY_SALVAGE, "salvage", NULL,
	  "rebuild one archive from its remains in all FILEs" },
	{ KEY_ARCHIVE, "archive", "N",
	  "with --salvage: the Nth archive found, not the largest" },
	{ KEY_PART, "part", "I/N",
	  "pack part I of N; sha256: the checksum that --join needs" },
	{ KEY_JOIN, "join", NULL,
	  "join all parts of a file, given as FILEs, to its archive" },
	{ 'c', "stdout", NULL, "write to standard output" },
	{ 'o', "output", "FILE", "write to FILE" },
	{ KEY_OUTPUT_DIR, "output-dir", "DIR",
	  "write to DIR, in directories as below those that are named" },
	{ 'S', "suffix", "SUF", "use suffix SUF for archives [.nc3z]" },
	{ 'f', "force", NULL,
	  "replace existing output files, write to a terminal" },
	{ KEY_UPDATE, "update", "[replace]",
	  "leave outputs that are done already, replace archives of files that "
	  "grew; replace: of any originals" },
	{ 'k', "keep", NULL, "keep input files (the default)" },
	{ KEY_RM, "rm", "[all]",
	  "remove an input file once its archive has been verified; all: "
	  "links and compressed files, too" },
	{ KEY_VERIFY, "verify", NULL,
	  "read each archive back and compare before it gets its name" },
	{ 'r', "recursive", NULL,
	  "all classic files (or archives) in directories" },
	{ KEY_EXCLUDE, "exclude", "PATTERN",
	  "with -r, leave out files and directories of such names" },
	{ KEY_INCLUDE, "include", "PATTERN",
	  "with -r, take only files of such names" },
	{ KEY_OLDER_THAN, "older-than", "AGE",
	  "take only files not written to for AGE: 30d, 12h, 5m, 60s" },
	{ KEY_FILES0_FROM, "files0-from", "FILE",
	  "read names, each terminated by a NUL, from FILE" },
	{ '0', NULL, NULL, "store only; the fastest level" },
	{ '1', "fast", NULL, "compress fast" },
	{ '2', NULL, NULL, NULL },
	{ '3', NULL, NULL, NULL },
	{ '4', NULL, NULL, NULL },
	{ '5', NULL, NULL, "the default level" },
	{ '6', NULL, NULL, NULL },
	{ '7', NULL, NULL, NULL },
	{ '8', NULL, NULL, NULL },
	{ '9', "best", NULL, "compress best" },
	{ KEY_CODEC, "codec", "NAME",
	  "zstd (default), deflate, bzip2, store, lzma" },
	{ KEY_PORTABLE, "portable", NULL,
	  "use only codecs that every language has: deflate, bzip2" },
	{ 'b', "block-size", "SIZE", "bytes in a block: 4K to 64M [by type]" },
	{ KEY_CHUNKS, "chunks", "SPEC",
	  "cut variables into chunks: auto, record, series, balanced, or "
	  "lengths as in nccopy: DIM/N,... or VAR:N,N,..." },
	{ KEY_MAX_MEMORY, "max-memory", "SIZE",
	  "limit of the memory for chunks [256M]" },
	{ KEY_MAX_SIZE, "max-size", "SIZE",
	  "restore, test, convert, salvage no original larger than SIZE" },
	{ 'T', "threads", "N",
	  "use N threads; 0: all processors that the process may use [0]" },
	{ KEY_SPARSE, "sparse", NULL, "restore runs of zeros as holes" },
	{ KEY_JSON, "json", NULL, "print lists and reports as JSON" },
	{ KEY_JOURNAL, "journal", "FILE",
	  "append a line of JSON for each file to FILE" },
	{ KEY_UNTIL, "until", "SECONDS",
	  "begin no file that is not likely to end by then" },
	{ 'q', "quiet", NULL, "no warnings, no summary" },
	{ 'v', "verbose", NULL, "say what is done with each file" },
	{ 'h', "help", NULL, "show this help" },
	{ 'V', "version", NULL, "show the version" },
	{ KEY_COMPLETION, "completion", "SHELL",
	  "print a completion script for bash, fish or zsh" },
	{ 0, NULL, NULL, NULL },
};

#define TARGET(key, kind, field, value) \
	{ \
		key, kind, offsetof(struct settings, field), value \
	}
#define FLAG(key, field) TARGET(key, OPTION_FLAG, field, true)
#define ACTION(key, value) TARGET(key, OPTION_INT, action, value)
#define LEVEL(digit) TARGET('0' + (digit), OPTION_INT, level, digit)
#define TEXT(key, field) TARGET(key, OPTION_TEXT, field, 0)

static const struct option_target targets[] = {
	ACTION('d', ACTION_RESTORE),
	ACTION('t', ACTION_TEST),
	ACTION('l', ACTION_LIST),
	ACTION(KEY_SALVAGE, ACTION_SALVAGE),
	ACTION(KEY_JOIN, ACTION_JOIN),
	ACTION(KEY_MANIFEST, ACTION_MANIFEST),
	ACTION(KEY_RECODE, ACTION_CONVERT),
	ACTION('h', ACTION_HELP),
	ACTION('V', ACTION_VERSION),
	FLAG('c', to_stdout),
	FLAG('f', force),
	FLAG('q', quiet),
	FLAG('v', verbose),
	FLAG('r', recursive),
	TARGET('k', OPTION_FLAG, remove, false),
	FLAG(KEY_VERIFY, verify),
	FLAG(KEY_SPARSE, sparse),
	FLAG(KEY_JSON, json),
	FLAG(KEY_QUICK, quick),
	FLAG(KEY_DRY_RUN, dry_run),
	LEVEL(0),
	LEVEL(1),
	LEVEL(2),
	LEVEL(3),
	LEVEL(4),
	LEVEL(5),
	LEVEL(6),
	LEVEL(7),
	LEVEL(8),
	LEVEL(9),
	TARGET(KEY_PORTABLE, OPTION_INT, codec, NC3Z_CODEC_DEFLATE),
	TEXT('o', output),
	TEXT(KEY_FILES0_FROM, files0_from),
	TEXT(KEY_OUTPUT_DIR, output_dir),
	TEXT(KEY_JOURNAL, journal),
	{ 0 },
};

static const struct option_table table = {
	.program = "nc3compress",
	.usage = "[OPTION]... [FILE]...",
	.summary = "Packs netCDF classic files into archives FILE.nc3z and "
		   "restores them bit for bit.\n"
		   "Input may be inside gzip, bzip2, zstd or xz.\n"
		   "Without FILE, or where FILE is -, reads standard input and "
		   "writes standard output.",
	.rows = rows,
	.footer = "Options in the environment variable " ENVIRONMENT
		  " come first; those that do\n"
		  "not go with the command line are left out.\n"
		  "Exit status: 0 done, 1 failed, 2 wrong usage, 3 done with "
		  "a warning, 4 damaged,\n5 more to do, 6 nothing found.\n",
	.targets = targets,
	.see = settings_see,
	.take = settings_take,
};

/* Whether the rest of a word is the argument of a short option. */
static bool takes_rest(char c)
{
	for (const struct option_row *row = rows; row->key; row++)
		if (row->key == c)
			return row->argument != NULL;
	return false;
}

/* "-19" would be level 9, which those who know zstd do not mean. */
static int check_levels(int argc, char **argv)
{
	for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
		const char *c = argv[i];

		if (c[0] != '-' || c[1] == '-')
			continue;
		for (c++; *c && !takes_rest(*c); c++)
			if (c[0] >= '0' && c[0] <= '9' && c[1] >= '0' &&
			    c[1] <= '9') {
				message_error(NULL,
					      "no level %.3s: levels are 0 to "
					      "9",
					      c);
				message_hint("try --help");
				return -1;
			}
	}
	return 0;
}

/* The words of the environment variable, as if they came first. */
static int parse_environment(struct settings *s)
{
	const char *text = getenv(ENVIRONMENT);
	char *copy = strdup(text ? text : ""), *save = NULL;
	struct option_table defaults = table;
	char **words = calloc(strlen(text ? text : "") + 3, sizeof(*words));
	int nwords = 1, first;

	if (!copy || !words)
		message_out_of_memory();
	words[0] = copy;
	for (char *w = strtok_r(copy, " \t", &save); w;
	     w = strtok_r(NULL, " \t", &save))
		words[nwords++] = w;
	defaults.see = settings_see_default;
	first = check_levels(nwords, words);
	if (first == 0)
		first = option_parse(&defaults, nwords, words, s);
	if (first >= 0 && first < nwords) {
		message_error(NULL, ENVIRONMENT " takes options only");
		first = -1;
	}
	s->environment = copy;
	free(words);
	return first < 0 ? -1 : 0;
}

int settings_parse(struct settings *s, int argc, char **argv)
{
	int first;

	*s = (struct settings){
		.action = ACTION_PACK,
		.suffix = NC3Z_SUFFIX,
		.level = NC3Z_LEVEL_DEFAULT,
		.codec = NC3Z_CODEC_ZSTD,
		.max_memory_nbytes = NC3Z_MAX_MEMORY_DEFAULT,
	};
	if (check_levels(argc, argv) != 0)
		return -1;
	if (getenv(ENVIRONMENT) && parse_environment(s) != 0)
		return -1;
	first = option_parse(&table, argc, argv, s);
	if (first < 0)
		return -1;
	if (settings_check(s, argc - first, argv + first) != 0)
		return -1;
	s->verify = s->verify || s->remove;
	return first;
}

int settings_print_completion(const char *shell)
{
	return option_print_completion(&table, shell);
}

void settings_release(struct settings *s)
{
	free((void *)s->chunks.list);
	free((void *)s->rechunk.list);
	free((void *)s->exclude.list);
	free(s->exclude.matched);
	free((void *)s->include.list);
	free(s->include.matched);
	free(s->environment);
}

void settings_print_help(void)
{
	option_print_help(&table);
}
