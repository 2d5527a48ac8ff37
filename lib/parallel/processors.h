/* SPDX-License-Identifier: MIT */
/* How many processors the process may use. */
#ifndef NC3Z_PARALLEL_PROCESSORS_H
#define NC3Z_PARALLEL_PROCESSORS_H

/*
 * Those that it may run on, and not more than its control groups give it the
 * time of; at least 1.
 */
unsigned processors_count(void);

/*
 * What control groups (versions 1 and 2) of this process allow, rounded up; 0
 * without a limit.  'root' goes before the names of all files: "" but in tests.
 */
unsigned processors_of_groups(const char *root);

#endif
