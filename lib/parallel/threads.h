/* SPDX-License-Identifier: MIT */
/* How many threads to use, and starting one. */
#ifndef NC3Z_PARALLEL_THREADS_H
#define NC3Z_PARALLEL_THREADS_H

#include <pthread.h>
#include <stdbool.h>

#include "base/status.h"

/* NC3Z_EINVAL for more threads than the limit. */
int threads_check(unsigned wanted, struct nc3z_error *err);

/*
 * 'wanted', or the number of processors that the process may use if that is 0,
 * within the limits.
 */
unsigned threads_wanted(unsigned wanted);

/*
 * Starts a thread with a stack of 2 MiB, whatever the limit of stacks is.
 * False if the system gives no more threads: callers go on with the threads
 * they have, if only their own.
 */
bool threads_start(pthread_t *thread_ret, void *(*run)(void *), void *argument);

#endif
