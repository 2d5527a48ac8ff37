/* SPDX-License-Identifier: MIT */
/*
 * Messages to standard error, in one form for all programs:
 *
 *   program: file: what failed: why
 *
 * Each message is one line and unbroken, also when several threads report at
 * the same time and when names contain control characters.
 */
#ifndef NC3Z_TOOLS_COMMON_MESSAGE_H
#define NC3Z_TOOLS_COMMON_MESSAGE_H

#include <stdio.h>

#include "nc3z.h"

/* Exit statuses of all programs. */
enum exit_status {
	EXIT_DONE = 0,
	EXIT_FAILED = 1,
	EXIT_USAGE = 2,
	EXIT_WARNED = 3,
	EXIT_DAMAGED = 4,
	EXIT_MORE = 5,    /* all is well, and there is more to do */
	EXIT_NOTHING = 6, /* there was nothing to do it to */
};

/* exit_status.c */

/*
 * The graver of two: wrong usage, damage, failure, more to do, a warning,
 * nothing found, all is well.
 */
enum exit_status exit_worse(enum exit_status a, enum exit_status b);

/* EXIT_DAMAGED for what is damaged, EXIT_FAILED for all other failures. */
enum exit_status exit_of_error(const struct nc3z_error *err);

/* message.c */

/* The name that messages begin with. */
void message_init(const char *program);

/*
 * A name from a file or of one: what could command a terminal or end the line
 * is shown as '?'.
 */
void message_put_text(FILE *to, const char *text);

/* A number of bytes for people, as in "12.3 MB". */
void message_put_size(FILE *to, double nbytes);

/*
 * The name of an input as it may be shown, from malloc(): a URL may have a user
 * or a query that are nobody else's business.
 */
char *message_name(const char *operand);

/* 'file' may be NULL. */
void message_error(const char *file, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void message_warning(const char *file, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Progress, where the user has asked for it. */
void message_note(const char *file, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Ends the program; for what is done before there is work. */
void message_out_of_memory(void) __attribute__((noreturn));

/* A line of advice after an error, as after one of a damaged archive. */
#define HINT_DAMAGED \
	"a damaged archive: restore it from a copy, or save what is left " \
	"with nc3salvage"
void message_hint(const char *text);

#endif
