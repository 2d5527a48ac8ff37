/*
 * Signals that end the program (interrupt, termination, hang-up) first remove
 * the temporary files that have names.
 *
 * All threads block these signals; one thread waits for them.
 */
#ifndef NC3Z_TOOLS_COMPRESS_SIGNALS_H
#define NC3Z_TOOLS_COMPRESS_SIGNALS_H

/* Before any other thread is started. */
void signals_start(void);

/* A name to remove, until signals_unwatch(); NULL is ignored. */
void signals_watch(const char *temporary);
void signals_unwatch(const char *temporary);

#endif
