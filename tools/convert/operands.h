/* SPDX-License-Identifier: MIT */
#ifndef NC3Z_TOOLS_CONVERT_OPERANDS_H
#define NC3Z_TOOLS_CONVERT_OPERANDS_H

#include "convert/options.h"

/*
 * Two operands of which only the first is there are input and output, as
 * nccopy has them, if the ending of the second says what it is to be.
 * Otherwise a message has the line to type, and it is -1.
 */
int operands_take_output(struct convert_settings *c, int *noperands,
			 char **operands);

#endif
