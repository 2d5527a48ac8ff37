/* SPDX-License-Identifier: MIT */
/*
 * Signals that end the program (interrupt, termination, hang-up, quit) first
 * remove the temporary files that have names.
 *
 * All threads block these signals; one thread waits for them.  A file that gets
 * larger than a limit allows is an error of that file alone.
 */
#ifndef NC3Z_TOOLS_BATCH_SIGNALS_H
#define NC3Z_TOOLS_BATCH_SIGNALS_H

#include <stdbool.h>

#include "common/message.h"

/*
 * Before any other thread is started.  If termination is no failure the program
 * ends with EXIT_MORE then, or with something graver.
 */
void signals_start(bool termination_is_expected);

/*
 * Sets what is done last, in the thread that waits for signals, while others
 * may be anywhere: it returns the exit status.
 */
void signals_at_end(enum exit_status (*end)(void));

/*
 * A name to remove, from a directory on as unlinkat() has it, until
 * signals_unwatch(); NULL is ignored.
 */
void signals_watch(int dir_fd, const char *temporary);
void signals_unwatch(const char *temporary);

#endif
