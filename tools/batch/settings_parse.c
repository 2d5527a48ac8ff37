/* SPDX-License-Identifier: MIT */
#include "batch/settings_parse.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "batch/options.h"
#include "common/message.h"
#include "common/suffix.h"

#define ENVIRONMENT "NC3Z_OPTIONS"

/* Those that are a matter of taste or of the machine, not of what is done. */
static const struct option_row environment_rows[] = {
	OPTION_ROWS_LEVEL,     OPTION_ROW_CODEC,        OPTION_ROW_CHUNKS,
	OPTION_ROW_MAX_MEMORY, OPTION_ROW_THREADS,      OPTION_ROW_QUIET,
	OPTION_ROW_VERBOSE,    { 0, NULL, NULL, NULL },
};

static const struct option_table environment_table = {
	.place = ENVIRONMENT,
	.hint = ENVIRONMENT " takes levels, -T, -q, -v, --codec, --chunks and "
			    "--max-memory",
	.rows = environment_rows,
	.targets = option_targets,
	.take = option_take_shared,
};

/* Whether the rest of a word is the argument of a short option. */
static bool takes_rest(const struct option_row *rows, char c)
{
	for (const struct option_row *row = rows; row->key; row++)
		if (row->key == c)
			return row->argument != NULL;
	return false;
}

/* "-19" would be level 9, which those who know zstd do not mean. */
static int check_levels(const struct option_table *table, int argc, char **argv)
{
	for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
		const char *c = argv[i];

		if (c[0] != '-' || c[1] == '-')
			continue;
		for (c++; *c && !takes_rest(table->rows, *c); c++)
			if (c[0] >= '0' && c[0] <= '9' && c[1] >= '0' &&
			    c[1] <= '9') {
				message_error(table->place,
					      "%.3s is not a level: levels are "
					      "0 to 9",
					      c);
				message_hint(OPTION_HINT(table));
				return -1;
			}
	}
	return 0;
}

static int parse(struct settings *s, const struct option_table *table, int argc,
		 char **argv)
{
	return check_levels(table, argc, argv) == 0 ?
		       option_parse(table, argc, argv, s) :
		       -1;
}

/* The words of the environment variable, as if they came first. */
static int parse_environment(struct settings *s, const char *text)
{
	char *copy = strdup(text), *save = NULL;
	char **words = calloc(strlen(text) + 3, sizeof(*words));
	int nwords = 1, first;

	if (!copy || !words)
		message_out_of_memory();
	words[0] = copy;
	for (char *w = strtok_r(copy, " \t", &save); w;
	     w = strtok_r(NULL, " \t", &save))
		words[nwords++] = w;
	first = parse(s, &environment_table, nwords, words);
	if (first >= 0 && first < nwords) {
		message_error(ENVIRONMENT, "%s is not an option", words[first]);
		message_hint(environment_table.hint);
		first = -1;
	}
	s->environment = copy;
	free(words);
	return first < 0 ? -1 : 0;
}

int settings_parse(struct settings *s, const struct program_options *program,
		   int argc, char **argv)
{
	const char *environment = getenv(ENVIRONMENT);
	int first;

	memset(s, 0, program->settings_nbytes);
	*s = (struct settings){
		.suffix = NC3Z_SUFFIX,
		.level = NC3Z_LEVEL_DEFAULT,
		.codec = NC3Z_CODEC_ZSTD,
		.max_memory_nbytes = NC3Z_MAX_MEMORY_DEFAULT,
	};
	if (environment && parse_environment(s, environment) != 0)
		return -1;
	/* It is for packing: nobody wants the layout of archives to change. */
	if (!program->packs)
		s->chunks.count = 0;
	first = parse(s, program->table, argc, argv);
	if (first < 0)
		return -1;
	if (s->question == ASKS_NOTHING &&
	    program->check(s, argc - first, argv + first) != 0) {
		message_hint("try --help");
		return -1;
	}
	s->to_stdout = settings_write_stdout(s);
	return first;
}

void settings_release(struct settings *s)
{
	free((void *)s->chunks.list);
	free((void *)s->exclude.list);
	free(s->exclude.matched);
	free((void *)s->include.list);
	free(s->include.matched);
	free(s->environment);
}

bool settings_write_stdout(const struct settings *settings)
{
	return settings->to_stdout ||
	       (settings->output && strcmp(settings->output, "-") == 0);
}

bool settings_have_one_input(const struct settings *settings, int noperands)
{
	return noperands <= 1 && !settings->recursive &&
	       !settings->files0_from && !settings->is_plan;
}
