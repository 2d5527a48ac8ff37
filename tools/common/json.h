/* SPDX-License-Identifier: MIT */
/* The strings of JSON, from text of any bytes. */
#ifndef NC3Z_TOOLS_COMMON_JSON_H
#define NC3Z_TOOLS_COMMON_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/*
 * Prints 'nbytes' bytes of text as a JSON string; bytes that are no UTF-8
 * become U+FFFD.
 */
void json_put_bytes(FILE *to, const char *text, size_t nbytes);

/* The same as "key": "text". */
void json_put_field(FILE *to, const char *key, const char *text);

/* "key": "name", and if that is no UTF-8, "key_hex" with all of its bytes. */
void json_put_name(FILE *to, const char *key, const char *name);

/* json_put_bytes() up to a NUL. */
void json_put_string(FILE *to, const char *text);

/* "key": "text" */
void json_print_field(const char *key, const char *text);

/*
 * Bytes of the UTF-8 sequence at 'text', which has 'nbytes' bytes, more than
 * 0; 0 if there is none.
 */
size_t utf8_nbytes(const char *text, size_t nbytes);

/* Whether all of a string is UTF-8. */
bool utf8_is_text(const char *text);

#endif
