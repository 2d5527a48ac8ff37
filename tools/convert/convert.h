/* SPDX-License-Identifier: MIT */
/* An archive into another one. */
#ifndef NC3Z_TOOLS_CONVERT_CONVERT_H
#define NC3Z_TOOLS_CONVERT_CONVERT_H

#include "batch/job.h"

/*
 * Converts the job's archive; its layout stays where the settings do not say
 * otherwise.
 */
enum exit_status convert_run(struct job *job);

#endif
