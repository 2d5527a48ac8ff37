/* SPDX-License-Identifier: MIT */
/* The standard streams of a program. */
#ifndef NC3Z_TOOLS_COMMON_STANDARD_H
#define NC3Z_TOOLS_COMMON_STANDARD_H

#include "common/message.h"

/*
 * To be called first in main().  Who was started with standard input, output or
 * error closed would get their descriptors for files that it opens, and write
 * its messages into these.  So something else is put there, which can neither
 * be read nor written, as a closed descriptor.  Ends the program if that cannot
 * be done.
 */
void standard_streams_hold(void);

/* A file's name without its directories. */
const char *standard_last_name(const char *path);

/*
 * To be called last: closes standard output, as some file systems say only then
 * that they could not write.  Returns the worse of 'status' and, after a
 * message, of that failure.
 */
enum exit_status standard_output_end(enum exit_status status);

#endif
