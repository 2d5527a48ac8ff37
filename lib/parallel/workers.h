/* SPDX-License-Identifier: MIT */
/*
 * Threads that stand by and help: with a call that is running, and with work in
 * the background that nobody waits for.
 *
 * They are started when there is something to do for the first time, and help
 * with calls before they turn to the background.  Any number of threads may use
 * them.  A process that was forked has none: its calls run alone.
 */
#ifndef NC3Z_PARALLEL_WORKERS_H
#define NC3Z_PARALLEL_WORKERS_H

#include <stdbool.h>

struct workers;

/* Called by several threads at the same time; returns when nothing is left. */
typedef void workers_call_fn(void *context);

/* Called in the background, once for each time it was asked for. */
typedef void workers_background_fn(void *context);

/*
 * Up to 'nthreads' threads, none of which is started yet.  'background' may be
 * NULL.  NULL if out of memory.
 */
struct workers *workers_new(unsigned nthreads,
			    workers_background_fn *background, void *context);

/*
 * Ends the threads, after what they are doing; what waits in the background is
 * dropped.  No call is running.  NULL is allowed.
 */
void workers_free(struct workers *workers);

/*
 * Runs a call in this thread, and in up to 'nhelpers' others as long as it
 * lasts here.  Returns when all of them have returned.  NULL is allowed and
 * helps with nothing.
 */
void workers_run(struct workers *workers, unsigned nhelpers,
		 workers_call_fn *call, void *context);

/*
 * Has the background function called once more, soon.  False if there is no
 * thread to do so.
 */
bool workers_ask(struct workers *workers);

/* False in a process that was forked after workers_new(). */
bool workers_can_help(const struct workers *workers);

#endif
