/* SPDX-License-Identifier: MIT */
/* Arguments of options that are numbers. */
#ifndef NC3Z_TOOLS_COMMON_ARGUMENT_H
#define NC3Z_TOOLS_COMMON_ARGUMENT_H

#include <stdbool.h>
#include <stdint.h>

/*
 * A number of bytes, with K, M, G or T for powers of 1024; false if it is none.
 */
bool argument_parse_size(const char *text, uint64_t *nbytes_ret);

/* A number from 'min' to 'max'; false if it is none. */
bool argument_parse_count(const char *text, unsigned min, unsigned max,
			  unsigned *count_ret);

#endif
