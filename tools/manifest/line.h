/* SPDX-License-Identifier: MIT */
/*
 * A line of a manifest, in the form of sha256sum: 64 hexadecimal digits, a
 * blank, a blank or an asterisk, the name.  A name with a backslash, a newline
 * or a carriage return has these written as \\, \n and \r, and the line begins
 * with a backslash.
 */
#ifndef NC3Z_TOOLS_MANIFEST_LINE_H
#define NC3Z_TOOLS_MANIFEST_LINE_H

#include <stdbool.h>
#include <stddef.h>

#define LINE_DIGEST_NBYTES 32

struct line_entry {
	unsigned char sha256[LINE_DIGEST_NBYTES];
	char *name; /* in the line */
};

/* Takes a line apart, in place; false if it has another form. */
bool line_parse(char *line, struct line_entry *entry);

/* Prints a line for a name of so many bytes. */
void line_print(const unsigned char sha256[LINE_DIGEST_NBYTES],
		const char *name, size_t name_nbytes);

/* Prints a name alone, as sha256sum prints it when it checks. */
void line_print_name(const char *name);

#endif
