/* SPDX-License-Identifier: MIT */
/* The format of printf() that a variable's attribute C_format asks for. */
#ifndef NC3Z_TOOLS_DUMP_C_FORMAT_H
#define NC3Z_TOOLS_DUMP_C_FORMAT_H

#include <stdbool.h>
#include <stddef.h>

/* Bytes of an attribute that is taken for a format, with the NUL. */
#define C_FORMAT_NBYTES_MAX 100

/* The type of the one argument of a format. */
enum c_argument {
	C_ARGUMENT_NONE,
	C_ARGUMENT_INT,
	C_ARGUMENT_LONG, /* long long */
	C_ARGUMENT_DOUBLE,
};

struct c_format {
	char text[C_FORMAT_NBYTES_MAX + 8];
	enum c_argument argument;
};

/*
 * Reads a format for values of an external type.  False unless it is safe and
 * has a meaning: at most one conversion, of that type, without "*".
 */
bool c_format_parse(struct c_format *format, const char *text, int type);

#endif
