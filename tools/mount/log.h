/* SPDX-License-Identifier: MIT */
/*
 * Messages while files are mounted: to standard error, or from the
 * background to the system's log.
 *
 * A damaged block is met again and again, as programs and the kernel try again:
 * a line is not repeated within an hour, and the number of lines per minute is
 * limited.
 */
#ifndef NC3Z_TOOLS_MOUNT_LOG_H
#define NC3Z_TOOLS_MOUNT_LOG_H

#include <stdarg.h>
#include <stdbool.h>

/* Before the first message goes to standard error; this may change that. */
void log_init(bool to_system);

/*
 * One line about a file, whose name may hold anything.  Any number of threads
 * may call this.
 */
void log_file(const char *file, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* One line of another program part, with a newline or without. */
void log_other(const char *format, va_list args)
	__attribute__((format(printf, 1, 0)));

#endif
