/* SPDX-License-Identifier: MIT */
/* --until: what is not likely to end in time is not begun. */
#ifndef NC3Z_TOOLS_BATCH_DEADLINE_H
#define NC3Z_TOOLS_BATCH_DEADLINE_H

#include <stdbool.h>
#include <stdint.h>

/* From now on, when the program begins; any thread may call the others. */
void deadline_begin(void);

/* Sets how many seconds there are since then; 0: no end. */
void deadline_set(double seconds);

/*
 * Whether a file of so many bytes is likely to be done in time, by a job that
 * has all threads or one.
 */
bool deadline_allows(uint64_t nbytes, bool has_all_threads);

/* What such a job has taken. */
void deadline_learn(uint64_t nbytes, bool has_all_threads, double seconds);

#endif
