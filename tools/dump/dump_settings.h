/* SPDX-License-Identifier: MIT */
/* The settings from the command line of nc3dump. */
#ifndef NC3Z_TOOLS_DUMP_DUMP_SETTINGS_H
#define NC3Z_TOOLS_DUMP_DUMP_SETTINGS_H

#include <stdbool.h>

enum dump_output {
	DUMP_CDL,
	DUMP_KIND,
	DUMP_KIND_EXTENDED,
	DUMP_JSON,
	DUMP_BLOCKS,
	DUMP_BINARY,
	DUMP_HELP,
	DUMP_VERSION,
	DUMP_COMPLETION,
};

enum byte_order {
	ORDER_NATIVE,
	ORDER_BIG,
	ORDER_LITTLE,
};

struct dump_settings {
	enum dump_output output;
	bool header_only;
	bool coordinates_only;
	bool brief_comments;
	bool full_comments;
	bool fortran_indices;
	bool special_attributes;
	bool times;  /* as date and time */
	bool blocks; /* with JSON */
	char time_separator;
	enum byte_order order;
	int line_length;
	int float_digits;
	int double_digits;
	bool overrides_float; /* a variable's C_format, from -p */
	bool overrides_double;
	const char *path;      /* the file */
	const char *name;      /* NULL: made from that of the file */
	const char *variables; /* the argument of -v; NULL: all */
	const char *shell;     /* of DUMP_COMPLETION */
};

/* Returns the index of the first operand, or -1 after a message. */
int dump_settings_parse(struct dump_settings *s, int argc, char **argv);

void dump_settings_print_help(void);

/* Prints a completion script; -1 after a message. */
int dump_settings_print_completion(const char *shell);

#endif
