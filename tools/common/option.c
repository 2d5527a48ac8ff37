/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* getopt_long() */
#include "common/option.h"

#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/message.h"

#define KEY_IS_SHORT(key) ((key) > 0 && (key) < 256)
#define HELP_COLUMN 26

static size_t count_rows(const struct option_table *table)
{
	size_t n = 0;

	while (table->rows[n].key != 0)
		n++;
	return n;
}

bool option_is_optional(const struct option_row *row)
{
	return row->argument && row->argument[0] == '[';
}

/* The table in the form that getopt_long() takes. */
struct getopt_tables {
	char *shorts;
	struct option *longs;
};

static void make_tables(const struct option_table *table,
			struct getopt_tables *t)
{
	size_t n = count_rows(table), nlongs = 0;
	char *s;

	t->shorts = malloc(2 * n + 2);
	t->longs = calloc(n + 1, sizeof(*t->longs));
	if (!t->shorts || !t->longs)
		message_out_of_memory();
	s = t->shorts;
	*s++ = ':'; /* tell a missing argument from an unknown option */
	for (size_t i = 0; i < n; i++) {
		const struct option_row *row = &table->rows[i];

		if (KEY_IS_SHORT(row->key)) {
			*s++ = (char)row->key;
			if (row->argument)
				*s++ = ':';
		}
		if (row->name)
			t->longs[nlongs++] = (struct option){
				.name = row->name,
				.has_arg = option_is_optional(row) ?
						   optional_argument :
					   row->argument ? required_argument :
							   no_argument,
				.val = row->key,
			};
	}
	*s = '\0';
}

static bool is_key(const struct option_table *table, int key)
{
	for (size_t i = 0; table->rows[i].key != 0; i++)
		if (table->rows[i].key == key)
			return true;
	return false;
}

/* Inside of "-abc", the word before optind is not the one that is wrong. */
static void complain(const struct option_table *table, int key, char **argv)
{
	const char *word = argv[optind - 1];

	if (key == ':')
		message_error(table->place, "option %s needs an argument",
			      word);
	else if (optopt != 0 && !is_key(table, optopt))
		message_error(table->place, "unknown option -%c", optopt);
	else
		message_error(table->place, "unknown option %s", word);
	message_hint(OPTION_HINT(table));
}

static const struct option_target *find_target(const struct option_table *table,
					       int key)
{
	for (const struct option_target *t = table->targets; t && t->key; t++)
		if (t->key == key)
			return t;
	return NULL;
}

static void set_target(const struct option_target *target, void *context,
		       const char *argument)
{
	char *field = (char *)context + target->offset;

	switch (target->kind) {
	case OPTION_FLAG:
		*(bool *)field = target->value != 0;
		break;
	case OPTION_INT:
		memcpy(field, &target->value, sizeof(target->value));
		break;
	case OPTION_TEXT:
		memcpy(field, &argument, sizeof(argument));
		break;
	}
}

static int take_option(const struct option_table *table, void *context, int key,
		       const char *argument)
{
	const struct option_target *target = find_target(table, key);
	int status;

	if (target) {
		set_target(target, context, argument);
		return 0;
	}
	status = table->take(context, key, argument);
	if (status > 0)
		message_error(NULL, "option number %d is not built in", key);
	return status;
}

int option_parse(const struct option_table *table, int argc, char **argv,
		 void *context)
{
	struct getopt_tables t = { 0 };
	int status = 0, key;

	make_tables(table, &t);
	opterr = 0;
	optind = 0; /* start afresh */
	while (status == 0) {
		key = getopt_long(argc, argv, t.shorts, t.longs, NULL);
		if (key == -1)
			break;
		if (key == '?' || key == ':') {
			complain(table, key, argv);
			status = -1;
		} else {
			status = take_option(table, context, key, optarg);
		}
	}
	free(t.shorts);
	free(t.longs);
	return status == 0 ? optind : -1;
}

static void print_row(const struct option_row *row)
{
	/* "[=X]" for what may be left out. */
	bool is_optional = option_is_optional(row);
	const char *argument = row->argument ? row->argument + is_optional : "";
	const char *equals = is_optional ? "[=" : row->argument ? "=" : "";
	char left[80];
	int n = 0;

	if (!row->help)
		return;
	if (KEY_IS_SHORT(row->key) && row->name)
		n = snprintf(left, sizeof(left), "-%c, --%s%s%s", row->key,
			     row->name, equals, argument);
	else if (KEY_IS_SHORT(row->key))
		n = snprintf(left, sizeof(left), "-%c%s%s", row->key,
			     row->argument ? " " : "", argument);
	else
		n = snprintf(left, sizeof(left), "    --%s%s%s", row->name,
			     equals, argument);
	printf("  %-*s%s%s\n", HELP_COLUMN - 2, left,
	       n >= HELP_COLUMN - 2 ? "  " : "", row->help);
}

void option_print_help(const struct option_table *table)
{
	printf("Usage: %s %s\n%s\n\n", table->program, table->usage,
	       table->summary);
	for (size_t i = 0; table->rows[i].key != 0; i++)
		print_row(&table->rows[i]);
	printf("\n%s", table->footer);
}
