/* SPDX-License-Identifier: MIT */
/* Names and text as CDL writes them. */
#ifndef NC3Z_TOOLS_DUMP_CDL_TEXT_H
#define NC3Z_TOOLS_DUMP_CDL_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Bytes that one byte of text may become. */
#define CDL_BYTE_NBYTES_MAX 16

/* A name with its special characters escaped, to be freed; NULL: no memory. */
char *cdl_escape_name(const char *name);

/* Prints it. */
void cdl_print_name(FILE *to, const char *name);

/* Text of an attribute, in quotes. */
void cdl_print_string(FILE *to, const char *text, size_t nbytes);

/*
 * One byte of text between quotes, as in the values of a variable; returns the
 * number of bytes.
 */
size_t cdl_put_char(char *to, unsigned char c);

#endif
