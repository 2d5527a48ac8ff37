/* SPDX-License-Identifier: MIT */
/* What nc3convert does. */
#ifndef NC3Z_TOOLS_CONVERT_CONVERT_H
#define NC3Z_TOOLS_CONVERT_CONVERT_H

#include "batch/action.h"
#include "batch/merge.h"
#include "convert/options.h"

/*
 * With each file, by target: an archive's layout stays where the settings do
 * not say otherwise.
 */
extern const struct batch_action convert_actions[];

/* join.c, for merge_run(): the parts of a file into one archive. */
enum exit_status join_make(struct merge *m);

/* operands.c */

/*
 * Two operands of which only the first is there are input and output, as
 * nccopy has them, if the ending of the second says what it is to be.
 * Otherwise, and if the second is there and would be refused as an input, a
 * message has the line to type.
 */
enum exit_status operands_take_output(struct convert_settings *c,
				      int *noperands, char **operands);

#endif
