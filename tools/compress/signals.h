/*
 * Signals that end the program (interrupt, termination, hang-up, quit) first
 * remove the temporary files that have names.
 *
 * All threads block these signals; one thread waits for them.  A file that gets
 * larger than a limit allows is an error of that file alone.
 */
#ifndef NC3Z_TOOLS_COMPRESS_SIGNALS_H
#define NC3Z_TOOLS_COMPRESS_SIGNALS_H

/* Before any other thread is started. */
void signals_start(void);

/*
 * A name to remove, from a directory on as unlinkat() has it, until
 * signals_unwatch(); NULL is ignored.
 */
void signals_watch(int dir_fd, const char *temporary);
void signals_unwatch(const char *temporary);

#endif
