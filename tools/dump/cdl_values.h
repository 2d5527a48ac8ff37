/* SPDX-License-Identifier: MIT */
/* The values of variables as CDL. */
#ifndef NC3Z_TOOLS_DUMP_CDL_VALUES_H
#define NC3Z_TOOLS_DUMP_CDL_VALUES_H

#include "dump/dump.h"

/*
 * Prints the values of a variable, or of a part of it, to standard output.
 * Nothing at all is printed if there are none.
 */
enum exit_status cdl_print_values(struct dump *dump, int varid,
				  const struct selection *selection);

#endif
