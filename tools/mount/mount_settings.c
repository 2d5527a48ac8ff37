/* SPDX-License-Identifier: MIT */
/*
 * Options of mount(8), after -o, are ours or libfuse's: a line of fstab has no
 * others.  Ours have the names of the long options.
 */
#define _GNU_SOURCE
#include "mount/mount_settings.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/argument.h"
#include "common/message.h"
#include "common/option.h"
#include "common/suffix.h"

enum {
	KEY_ARCHIVES_ONLY = 256,
	KEY_MAX_OPEN,
	KEY_MAX_MEMORY,
	KEY_COMPLETION,
	KEY_URLS,
};

#define DEFAULT_NTHREADS 10
#define MAX_OPEN_MAX 100000

static const struct option_row rows[] = {
	{ 'o', "options", "OPT,...",
	  "options of mount(8), such as allow_other, or these without dashes" },
	{ 'f', "foreground", NULL, "stay in the foreground" },
	{ KEY_URLS, "urls", "FILE",
	  "show the objects whose URLs are the lines of FILE" },
	{ KEY_ARCHIVES_ONLY, "archives-only", NULL,
	  "hide files that are not archives" },
	{ 'S', "suffix", "SUF", "archives have suffix SUF [.nc3z]" },
	{ KEY_MAX_OPEN, "max-open", "N", "keep at most N archives open [64]" },
	{ KEY_MAX_MEMORY, "max-memory", "SIZE",
	  "bytes of decoded blocks to keep [512M]" },
	{ 'T', "threads", "N", "answer N requests at once [10]" },
	{ 'h', "help", NULL, "show this help" },
	{ 'V', "version", NULL, "show the version" },
	{ KEY_COMPLETION, "completion", "SHELL",
	  "print a completion script for bash, fish or zsh" },
	{ 0, NULL, NULL, NULL },
};

static int refuse_argument(const char *what, const char *argument)
{
	message_error(NULL, "%s: %s", what, argument);
	message_hint("try --help");
	return -1;
}

static int no_memory(void)
{
	message_error(NULL, "out of memory");
	return -1;
}

static int take_suffix(struct mount_settings *s, const char *text)
{
	char *copy;

	if (text[0] == '\0' || strchr(text, '/') || strlen(text) > NAME_MAX)
		return refuse_argument("not a suffix", text);
	copy = strdup(text); /* a word of -o does not last */
	if (!copy)
		return no_memory();
	free(s->suffix);
	s->suffix = copy;
	s->naming.suffix = copy;
	return 0;
}

static int take_option(void *context, int key, const char *argument);

/* The row of a word of -o, "name" or "name=value"; NULL if it is not ours. */
static const struct option_row *find_row(const char *word, const char *value)
{
	size_t nbytes = value ? (size_t)(value - word) : strlen(word);

	for (const struct option_row *row = rows; row->key; row++) {
		bool is_named = strlen(row->name) == nbytes &&
				strncmp(row->name, word, nbytes) == 0;

		if (is_named && (row->argument != NULL) == (value != NULL) &&
		    row->key != 'o' && row->key != KEY_COMPLETION &&
		    row->key != KEY_URLS)
			return row;
	}
	return NULL;
}

static int take_word(struct mount_settings *s, char *word)
{
	const char *value = strchr(word, '=');
	const struct option_row *row = find_row(word, value);
	char *options = s->options;

	if (row)
		return take_option(s, row->key, value ? value + 1 : NULL);
	if (strcmp(word, "rw") == 0)
		return 0; /* mount(8) passes it by default */
	if (strcmp(word, "nonempty") == 0) {
		s->nonempty = true; /* as older versions of libfuse had it */
		return 0;
	}
	if (asprintf(&s->options, "%s%s%s", options, options[0] ? "," : "",
		     word) < 0) {
		s->options = options;
		return no_memory();
	}
	free(options);
	return 0;
}

/* The end of a word: a comma that has no backslash before it. */
static char *end_of_word(char *word)
{
	while (*word && *word != ',')
		word += word[0] == '\\' && word[1] ? 2 : 1;
	return word;
}

static int take_options(struct mount_settings *s, const char *text)
{
	char *copy = strdup(text), *end;
	int status = 0;

	if (!copy)
		return no_memory();
	for (char *word = copy; status == 0 && *word; word = end) {
		end = end_of_word(word);
		if (*end)
			*end++ = '\0';
		if (*word)
			status = take_word(s, word);
	}
	free(copy);
	return status;
}

static int take_max_open(struct mount_settings *s, const char *text)
{
	if (argument_parse_count(text, 1, MAX_OPEN_MAX, &s->limits.max_open))
		return 0;
	return refuse_argument(
		"number of open archives is not between 1 and 100000", text);
}

static int take_threads(struct mount_settings *s, const char *text)
{
	if (argument_parse_count(text, 1, NC3Z_THREADS_MAX, &s->nthreads))
		return 0;
	return refuse_argument("number of threads is not between 1 and 256",
			       text);
}

static int take_max_memory(struct mount_settings *s, const char *text)
{
	if (argument_parse_size(text, &s->limits.max_memory_nbytes))
		return 0;
	return refuse_argument("not a number of bytes", text);
}

static int take_option(void *context, int key, const char *argument)
{
	struct mount_settings *s = context;

	switch (key) {
	case 'o':
		return take_options(s, argument);
	case 'f':
		s->foreground = true;
		return 0;
	case KEY_ARCHIVES_ONLY:
		s->naming.archives_only = true;
		return 0;
	case 'S':
		return take_suffix(s, argument);
	case KEY_MAX_OPEN:
		return take_max_open(s, argument);
	case KEY_MAX_MEMORY:
		return take_max_memory(s, argument);
	case 'T':
		return take_threads(s, argument);
	case KEY_URLS:
		s->urls_file = argument;
		return 0;
	case KEY_COMPLETION:
		s->action = MOUNT_COMPLETION;
		s->shell = argument;
		return 0;
	case 'h':
		s->action = MOUNT_HELP;
		return 0;
	case 'V':
		s->action = MOUNT_VERSION;
		return 0;
	default:
		return 1;
	}
}

static const struct option_table table = {
	.program = "nc3mount",
	.usage = "[OPTION]... DIRECTORY|TAR|URL... MOUNTPOINT",
	.summary = "Shows DIRECTORY, the files in TAR or the objects of URLs "
		   "at MOUNTPOINT, with\n"
		   "netCDF classic files in place of archives, read-only.\n"
		   "\"fusermount3 -u MOUNTPOINT\" ends it.",
	.rows = rows,
	.footer = "Exit status: 0 mounted (-f: and unmounted), 1 failed, 2 "
		  "wrong usage.\n",
	.take = take_option,
};

/* One directory or tar, or URLs; and where to mount. */
static int take_operands(struct mount_settings *s, int n, char **operands)
{
	bool has_list = s->urls_file != NULL;
	int nurls = 0;

	while (nurls < n && nc3z_is_url(operands[nurls]))
		nurls++;
	if (n < 1 || nurls == n || n - nurls > 2 ||
	    (nurls > 0 && n - nurls > 1) || (has_list && n - nurls != 1) ||
	    (!has_list && n == 1)) {
		message_error(NULL, "a directory, a tar or URLs, and a mount "
				    "point are needed");
		message_hint("try --help");
		return -1;
	}
	s->urls = operands;
	s->nurls = nurls;
	if (!has_list && nurls == 0)
		s->dir = operands[0];
	s->mount_point = operands[n - 1];
	return 0;
}

int mount_settings_parse(struct mount_settings *s, int argc, char **argv)
{
	int first;

	*s = (struct mount_settings){
		.naming.suffix = NC3Z_SUFFIX,
		.nthreads = DEFAULT_NTHREADS,
		.limits.max_open = ARCHIVES_MAX_OPEN_DEFAULT,
		.limits.max_memory_nbytes = ARCHIVES_MAX_MEMORY_DEFAULT,
		.options = calloc(1, 1),
	};
	if (!s->options)
		return no_memory();
	first = option_parse(&table, argc, argv, s);
	if (first < 0)
		return -1;
	return s->action == MOUNT_RUN ?
		       take_operands(s, argc - first, argv + first) :
		       0;
}

void mount_settings_release(struct mount_settings *s)
{
	free(s->options);
	free(s->suffix);
}

void mount_settings_print_help(void)
{
	option_print_help(&table);
}

int mount_settings_print_completion(const char *shell)
{
	return option_print_completion(&table, shell);
}
