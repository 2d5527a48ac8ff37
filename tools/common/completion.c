/* SPDX-License-Identifier: MIT */
/* Completion scripts for shells, from the table of options. */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "common/message.h"
#include "common/option.h"

static bool is_short(const struct option_row *row)
{
	return row->key > 0 && row->key < 256;
}

static void print_bash(const struct option_table *table)
{
	printf("# bash completion for %s\n_%s() {\n"
	       "\tlocal word=${COMP_WORDS[COMP_CWORD]}\n"
	       "\tif [[ $word == -* ]]; then\n"
	       "\t\tmapfile -t COMPREPLY < <(compgen -W '",
	       table->program, table->program);
	for (const struct option_row *row = table->rows; row->key; row++) {
		if (is_short(row))
			printf("-%c ", row->key);
		if (row->name && option_is_optional(row))
			printf("--%s --%s=%.*s ", row->name, row->name,
			       (int)strcspn(row->argument + 1, "]"),
			       row->argument + 1);
		else if (row->name)
			printf("--%s%s ", row->name, row->argument ? "=" : "");
	}
	printf("' -- \"$word\")\n"
	       "\telse\n"
	       "\t\tmapfile -t COMPREPLY < <(compgen %s -- \"$word\")\n"
	       "\tfi\n}\n"
	       "complete -o filenames -F _%s %s\n",
	       table->takes_command ? "-c -f" : "-f", table->program,
	       table->program);
}

/* Within single quotes, where zsh gives brackets and colons a meaning. */
static void print_zsh_help(const char *help)
{
	putchar('[');
	for (; help && *help; help++) {
		if (strchr("[]:", *help))
			putchar('\\');
		if (*help != '\'')
			putchar(*help);
	}
	putchar(']');
}

static void print_zsh_argument(const char *argument)
{
	if (argument)
		printf(":%s:_files", argument);
	printf("' \\\n");
}

static void print_zsh(const struct option_table *table)
{
	printf("#compdef %s\n_arguments -s \\\n", table->program);
	for (const struct option_row *row = table->rows; row->key; row++) {
		const char *argument = row->argument;

		if (is_short(row)) {
			printf("\t'-%c", row->key);
			print_zsh_help(row->help);
			print_zsh_argument(argument);
		}
		if (row->name && option_is_optional(row)) {
			/* Its argument is a word of ours. */
			printf("\t'--%s=-", row->name);
			print_zsh_help(row->help);
			printf("::word:(%.*s)' \\\n",
			       (int)strcspn(argument + 1, "]"), argument + 1);
		} else if (row->name) {
			printf("\t'--%s%s", row->name, argument ? "=" : "");
			print_zsh_help(row->help);
			print_zsh_argument(argument);
		}
	}
	puts(table->takes_command ? "\t'*:::command:_normal'" :
				    "\t'*:file:_files'");
}

/* Within single quotes, where fish gives backslashes a meaning. */
static void print_fish_help(const char *help)
{
	printf(" -d '");
	for (; help && *help; help++) {
		if (strchr("'\\", *help))
			putchar('\\');
		putchar(*help);
	}
	puts("'");
}

/* Where an argument may be left out, its words, as "a|b", each joined. */
static void print_fish_words(const struct option_table *table,
			     const struct option_row *row)
{
	const char *words = row->argument + 1;
	size_t n;

	for (; *words && *words != ']'; words += n + (words[n] == '|')) {
		n = strcspn(words, "|]");
		printf("complete -c %s -a '--%s=%.*s' -n "
		       "'string match -q -- \"--*\" (commandline -ct)'",
		       table->program, row->name, (int)n, words);
		print_fish_help(row->help);
	}
}

static void print_fish(const struct option_table *table)
{
	printf("# fish completion for %s\n", table->program);
	for (const struct option_row *row = table->rows; row->key; row++) {
		bool is_optional = option_is_optional(row);

		printf("complete -c %s", table->program);
		if (is_short(row))
			printf(" -s %c", row->key);
		if (row->name)
			printf(" -l %s", row->name);
		/* Its argument is often a file, and never another option. */
		if (row->argument && !is_optional)
			printf(" -r -F");
		print_fish_help(row->help);
		if (is_optional)
			print_fish_words(table, row);
	}
	if (table->takes_command)
		printf("complete -c %s -x -a "
		       "'(__fish_complete_subcommand)'\n",
		       table->program);
}

int option_print_completion(const struct option_table *table, const char *shell)
{
	if (strcmp(shell, "bash") == 0) {
		print_bash(table);
		return 0;
	}
	if (strcmp(shell, "zsh") == 0) {
		print_zsh(table);
		return 0;
	}
	if (strcmp(shell, "fish") == 0) {
		print_fish(table);
		return 0;
	}
	message_error(NULL, "no completion for %s, only for bash, fish and zsh",
		      shell);
	return -1;
}
