#include "compress/settings.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/archive_magic.h"
#include "common/argument.h"
#include "common/message.h"
#include "common/option.h"

enum {
	KEY_CODEC = 256,
	KEY_RM,
	KEY_VERIFY,
	KEY_SPARSE,
	KEY_JSON,
	KEY_FILES0_FROM,
	KEY_COMPLETION,
	KEY_PORTABLE,
	KEY_CHUNKS,
	KEY_MAX_MEMORY,
	KEY_MAX_SIZE,
	KEY_RECODE,
	KEY_RECHUNK,
	KEY_DRY_RUN,
	KEY_QUICK,
	KEY_MANIFEST,
	KEY_CHECK_MANIFEST,
	KEY_SALVAGE,
	KEY_ARCHIVE,
	KEY_PART,
	KEY_JOIN,
};

#define ENVIRONMENT "NC3Z_OPTIONS"

static const struct option_row rows[] = {
	{ 'd', "decompress", NULL, "restore the original from an archive" },
	{ 't', "test", NULL, "check archives: every byte, every checksum" },
	{ KEY_QUICK, "quick", NULL,
	  "with -t: every stored byte and checksum, but decode nothing" },
	{ 'l', "list", NULL, "show sizes and ratio of archives" },
	{ KEY_RECODE, "recode", NULL,
	  "write archives anew, with another level, codec or block size" },
	{ KEY_RECHUNK, "rechunk", "SPEC",
	  "write archives anew, in chunks as --chunks says, or linear" },
	{ KEY_DRY_RUN, "dry-run", NULL,
	  "with these two, only say what they would read and take" },
	{ KEY_MANIFEST, "manifest", NULL,
	  "print SHA-256 lines of archives and their originals" },
	{ KEY_CHECK_MANIFEST, "check-manifest", "FILE",
	  "check what such lines in FILE list" },
	{ KEY_SALVAGE, "salvage", NULL,
	  "rebuild one archive from what is left of it in all FILEs" },
	{ KEY_ARCHIVE, "archive", "N",
	  "with --salvage: the Nth archive found, not the largest" },
	{ KEY_PART, "part", "I/N",
	  "pack part I of N of each file only; sha256: what --join needs, too" },
	{ KEY_JOIN, "join", NULL,
	  "join all parts of a file, given as FILEs, to its archive" },
	{ 'c', "stdout", NULL, "write to standard output" },
	{ 'o', "output", "FILE", "write to FILE" },
	{ 'S', "suffix", "SUF", "use suffix SUF for archives [.nc3z]" },
	{ 'f', "force", NULL,
	  "replace existing output files, write to a terminal" },
	{ 'k', "keep", NULL, "keep input files (the default)" },
	{ KEY_RM, "rm", "[all]",
	  "remove an input file once its archive has been verified; all: "
	  "links and compressed files, too" },
	{ KEY_VERIFY, "verify", NULL,
	  "read each archive back and compare before it gets its name" },
	{ 'r', "recursive", NULL,
	  "all classic files (or archives) in directories" },
	{ KEY_FILES0_FROM, "files0-from", "FILE",
	  "read names, each ended by a NUL, from FILE" },
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
	{ KEY_CODEC, "codec", "NAME", "zstd (default), deflate, bzip2, store" },
	{ KEY_PORTABLE, "portable", NULL,
	  "codecs that every language has: deflate, and bzip2 with -9" },
	{ 'b', "block-size", "SIZE", "bytes in a block: 4K to 64M [by type]" },
	{ KEY_CHUNKS, "chunks", "SPEC",
	  "cut variables into chunks: auto, record, series, balanced, or "
	  "lengths as in nccopy: DIM/N,... or VAR:N,N,..." },
	{ KEY_MAX_MEMORY, "max-memory", "SIZE",
	  "bytes that chunks may take in memory [256M]" },
	{ KEY_MAX_SIZE, "max-size", "SIZE",
	  "restore, test, convert, salvage no original larger than SIZE" },
	{ 'T', "threads", "N", "use N threads; 0: all processors [0]" },
	{ KEY_SPARSE, "sparse", NULL, "restore runs of zeros as holes" },
	{ KEY_JSON, "json", NULL, "-l, --salvage or --dry-run: as JSON" },
	{ 'q', "quiet", NULL, "no warnings" },
	{ 'v', "verbose", NULL, "say what is done" },
	{ 'h', "help", NULL, "show this help" },
	{ 'V', "version", NULL, "show the version" },
	{ KEY_COMPLETION, "completion", "SHELL",
	  "print a completion script for bash or zsh" },
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
	{ 0 },
};

/* "store, deflate, bzip2 and zstd" */
static void list_codecs(char *names, size_t nbytes)
{
	names[0] = '\0';
	for (int i = 0; nc3z_codec_name(i); i++) {
		const char *between = i == 0                 ? "" :
				      nc3z_codec_name(i + 1) ? ", " :
							       " and ";
		size_t used = strlen(names);

		snprintf(names + used, nbytes - used, "%s%s", between,
			 nc3z_codec_name(i));
	}
}

static int take_codec(struct settings *s, const char *name)
{
	char names[200];

	s->codec = nc3z_codec_by_name(name);
	if (s->codec >= 0)
		return 0;
	list_codecs(names, sizeof(names));
	message_error(NULL, "unknown codec %s: %s are known", name, names);
	return -1;
}

static int take_block_size(struct settings *s, const char *text)
{
	uint64_t n;

	if (!argument_parse_size(text, &n) || n < NC3Z_BLOCK_NBYTES_MIN ||
	    n > NC3Z_BLOCK_NBYTES_MAX) {
		message_error(NULL, "block size %s is not within 4K and 64M",
			      text);
		return -1;
	}
	s->block_nbytes = (uint32_t)n;
	return 0;
}

static int take_nbytes(uint64_t *nbytes_ret, const char *text)
{
	if (argument_parse_size(text, nbytes_ret))
		return 0;
	message_error(NULL, "%s is not a number of bytes", text);
	return -1;
}

static int take_chunks(struct settings_list *list, const char *text)
{
	const char **grown =
		realloc((void *)list->list, (list->count + 1) * sizeof(*grown));

	if (!grown)
		message_out_of_memory();
	grown[list->count++] = text;
	list->list = grown;
	return 0;
}

static int take_threads(struct settings *s, const char *text)
{
	if (argument_parse_count(text, 0, NC3Z_THREADS_MAX, &s->nthreads))
		return 0;
	message_error(NULL, "number of threads %s is not within 0 and %u", text,
		      NC3Z_THREADS_MAX);
	return -1;
}

static int take_archive(struct settings *s, const char *text)
{
	if (argument_parse_count(text, 1, UINT32_MAX, &s->archive))
		return 0;
	message_error(NULL, "%s is no number of an archive", text);
	return -1;
}

static int take_part(struct settings *s, const char *text)
{
	const char *slash = strchr(text, '/');
	char number[16];

	s->is_part = true;
	s->part_number = s->part_count = 0;
	if (strcmp(text, "sha256") == 0)
		return 0;
	if (slash && (size_t)(slash - text) < sizeof(number)) {
		snprintf(number, sizeof(number), "%.*s", (int)(slash - text),
			 text);
		if (argument_parse_count(slash + 1, 1, NC3Z_PARTS_MAX,
					 &s->part_count) &&
		    argument_parse_count(number, 1, s->part_count,
					 &s->part_number))
			return 0;
	}
	message_error(NULL,
		      "part %s is neither 'sha256' nor I/N, a number from 1 to "
		      "N of %u parts at most",
		      text, NC3Z_PARTS_MAX);
	return -1;
}

static int take_suffix(struct settings *s, const char *text)
{
	if (text[0] == '\0' || strchr(text, '/')) {
		message_error(NULL, "invalid suffix '%s'", text);
		return -1;
	}
	s->suffix = text;
	return 0;
}

static int take_remove(struct settings *s, const char *what)
{
	if (what && strcmp(what, "all") != 0) {
		message_error(NULL, "--rm takes nothing or 'all', not %s",
			      what);
		return -1;
	}
	s->remove = true;
	s->remove_all = what != NULL;
	return 0;
}

static unsigned default_of(int key)
{
	switch (key) {
	case 'c':
		return DEFAULT_STDOUT;
	case 'o':
		return DEFAULT_OUTPUT;
	case 'r':
		return DEFAULT_RECURSIVE;
	case KEY_RM:
		return DEFAULT_REMOVE;
	case KEY_VERIFY:
		return DEFAULT_VERIFY;
	case KEY_QUICK:
		return DEFAULT_QUICK;
	case KEY_JSON:
		return DEFAULT_JSON;
	case KEY_DRY_RUN:
		return DEFAULT_DRY_RUN;
	case KEY_ARCHIVE:
		return DEFAULT_ARCHIVE;
	case KEY_FILES0_FROM:
		return DEFAULT_FILES0_FROM;
	default:
		return 0;
	}
}

/* Of the environment, then of the command line. */
static void see_default(void *context, int key)
{
	struct settings *s = context;

	s->defaults |= default_of(key);
}

static void see(void *context, int key)
{
	struct settings *s = context;

	s->defaults &= ~default_of(key);
}

static int take(void *context, int key, const char *argument)
{
	struct settings *s = context;

	switch (key) {
	case KEY_RM:
		return take_remove(s, argument);
	case KEY_ARCHIVE:
		return take_archive(s, argument);
	case KEY_PART:
		return take_part(s, argument);
	case KEY_CHECK_MANIFEST:
		s->action = ACTION_CHECK_MANIFEST;
		s->manifest = argument;
		return 0;
	case KEY_COMPLETION:
		s->action = ACTION_COMPLETION;
		s->shell = argument;
		return 0;
	case 'S':
		return take_suffix(s, argument);
	case KEY_CODEC:
		return take_codec(s, argument);
	case 'b':
		return take_block_size(s, argument);
	case KEY_CHUNKS:
		return take_chunks(&s->chunks, argument);
	case KEY_RECHUNK:
		s->action = ACTION_CONVERT;
		return take_chunks(&s->rechunk, argument);
	case KEY_MAX_MEMORY:
		return take_nbytes(&s->max_memory_nbytes, argument);
	case KEY_MAX_SIZE:
		return take_nbytes(&s->max_original_nbytes, argument);
	case 'T':
		return take_threads(s, argument);
	default:
		return 1;
	}
}

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
		  "a warning, 4 damaged.\n",
	.targets = targets,
	.see = see,
	.take = take,
};

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
	defaults.see = see_default;
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
	free(s->environment);
}

void settings_print_help(void)
{
	option_print_help(&table);
}
