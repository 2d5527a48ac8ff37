/* SPDX-License-Identifier: MIT */
/*
 * A journal: a line of JSON for each file that is done, appended to a file that
 * several processes may share.  Any thread may call these.
 */
#ifndef NC3Z_TOOLS_BATCH_JOURNAL_H
#define NC3Z_TOOLS_BATCH_JOURNAL_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Opens the file of this name for appending, or makes it.  False after a
 * message, also if there is something in it that is no journal.
 */
bool journal_open(const char *path, unsigned mode);

/*
 * Appends a line, which ends with a newline, by one call of the system, and
 * from time to time brings the file to the disk.  False after a message.
 * Without an open journal nothing is done.
 */
bool journal_append(const char *line, size_t nbytes);

/* Brings all lines to the disk; false after a message. */
bool journal_sync(void);

void journal_close(void);

#endif
