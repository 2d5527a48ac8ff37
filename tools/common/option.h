/* SPDX-License-Identifier: MIT */
/*
 * One table of options per program: parsing and --help come from the same
 * rows.
 */
#ifndef NC3Z_TOOLS_COMMON_OPTION_H
#define NC3Z_TOOLS_COMMON_OPTION_H

#include <stdbool.h>
#include <stddef.h>

struct option_row {
	int key;          /* the short option, or any number above 255 */
	const char *name; /* the long option without dashes, or NULL */
	/* The name of its argument, "[X]" if it is optional; or NULL. */
	const char *argument;
	const char *help; /* NULL: not shown */
};

/* The field that an option sets, where that is all it does. */
enum option_kind {
	OPTION_FLAG, /* a bool, to 'value' */
	OPTION_INT,  /* an int or an enumeration, to 'value' */
	OPTION_TEXT, /* a const char *, to the argument */
};

struct option_target {
	int key;
	enum option_kind kind;
	size_t offset;
	int value;
};

/* Rows and targets end with one whose key is 0. */
struct option_table {
	const char *program;
	const char *place; /* where messages say options are; NULL: nowhere */
	const char *hint;  /* after an error; NULL: "try --help" */
	const char *usage;
	const char *summary;
	const struct option_row *rows;
	const char *footer;
	bool takes_command; /* operands are a command, not files */
	const struct option_target *targets; /* or NULL */
	/*
	 * Takes an option without a target, its argument NULL if it
	 * has none; returns 0, -1 after a message of
	 * its own, or 1 if it does not know the option, which is our mistake.
	 */
	int (*take)(void *context, int key, const char *argument);
};

#define OPTION_HINT(table) ((table)->hint ? (table)->hint : "try --help")

/* Whether the argument of an option that has one may be left out. */
bool option_is_optional(const struct option_row *row);

/*
 * Parses all options.  Returns the index in 'argv' of the first operand (all
 * operands have been moved after the options), or -1 after a message to
 * standard error.
 */
int option_parse(const struct option_table *table, int argc, char **argv,
		 void *context);

/* Prints what --help shows to standard output. */
void option_print_help(const struct option_table *table);

/*
 * Prints a completion script for "bash", "fish" or "zsh" to standard output;
 * returns -1, with a message, for any other shell.
 */
int option_print_completion(const struct option_table *table,
			    const char *shell);

#endif
