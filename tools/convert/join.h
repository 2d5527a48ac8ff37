/* SPDX-License-Identifier: MIT */
/* --join: the parts of a file, packed with --part, into one archive. */
#ifndef NC3Z_TOOLS_CONVERT_JOIN_H
#define NC3Z_TOOLS_CONVERT_JOIN_H

#include "batch/merge.h"

enum exit_status join_make(struct merge *m);

#endif
