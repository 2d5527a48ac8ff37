/*
 * Messages to standard error, in one form for all programs:
 *
 *   program: file: what failed: why
 */
#ifndef NC3Z_TOOLS_MESSAGE_H
#define NC3Z_TOOLS_MESSAGE_H

/* Exit statuses of all programs. */
enum exit_status {
	EXIT_DONE = 0,
	EXIT_FAILED = 1,
	EXIT_USAGE = 2,
	EXIT_WARNED = 3,
	EXIT_DAMAGED = 4,
};

/* The name that messages begin with. */
void message_init(const char *program);

/* 'file' may be NULL. */
void message_error(const char *file, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void message_warning(const char *file, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* A line of advice after an error. */
void message_hint(const char *text);

#endif
