/* SPDX-License-Identifier: MIT */
/* The header of a file as CDL: dimensions, variables, attributes. */
#ifndef NC3Z_TOOLS_DUMP_CDL_HEADER_H
#define NC3Z_TOOLS_DUMP_CDL_HEADER_H

#include "dump/dump.h"

/* Prints it, up to "data:". */
enum exit_status cdl_print_header(struct dump *dump);

/*
 * Numbers of attributes differ from those of variables: a decimal point always,
 * trailing zeros never, and an 'f' after a float, if that is wanted.  Returns
 * the number of bytes.
 */
size_t cdl_put_attribute_number(char *to, int type, double number, int ndigits,
				bool marks_float);

/* Room for what cdl_put_attribute_number() writes. */
#define CDL_ATTRIBUTE_NBYTES_MAX 48

#endif
