/* SPDX-License-Identifier: MIT */
/* The blocks of variables, as a table or as JSON. */
#ifndef NC3Z_TOOLS_DUMP_BLOCK_TABLE_H
#define NC3Z_TOOLS_DUMP_BLOCK_TABLE_H

#include "dump/dump.h"

/*
 * Prints the member "storage" of a variable: an object, or null for a file that
 * is no archive.
 */
enum exit_status block_table_print_json(struct dump *dump, int varid,
					const struct nc3z_var *var);

#endif
