/* SPDX-License-Identifier: MIT */
/* How many threads to use. */
#ifndef NC3Z_PARALLEL_THREADS_H
#define NC3Z_PARALLEL_THREADS_H

#include "base/status.h"

/* NC3Z_EINVAL for more threads than the limit. */
int threads_check(unsigned wanted, struct nc3z_error *err);

/*
 * 'wanted', or the number of processors that the process may use if that is 0,
 * within the limits.
 */
unsigned threads_wanted(unsigned wanted);

#endif
