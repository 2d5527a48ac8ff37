/* SPDX-License-Identifier: MIT */
/*
 * A line of a list of checksums, as coreutils write it: hexadecimal digits, a
 * blank, a blank or an asterisk, the name; or, with --tag, "SHA256 (NAME) = "
 * and the digits.  A name with a backslash, a newline or a carriage return has
 * these written as \\, \n and \r, and the line begins with a backslash.
 */
#ifndef NC3Z_TOOLS_MANIFEST_LINE_H
#define NC3Z_TOOLS_MANIFEST_LINE_H

#include <stdbool.h>
#include <stddef.h>

#include "manifest/checksum.h"

struct line_entry {
	const struct checksum_kind *kind;
	unsigned char checksum[CHECKSUM_NBYTES_MAX];
	char *name; /* in the line */
};

/* Takes a line apart, in place; false if it has another form. */
bool line_parse(char *line, struct line_entry *entry);

/* Prints a line without a tag, for a name of so many bytes. */
void line_print(const unsigned char *checksum, size_t checksum_nbytes,
		const char *name, size_t name_nbytes);

/* Prints a name alone, as sha256sum prints it when it checks. */
void line_print_name(const char *name);

#endif
