/* SPDX-License-Identifier: MIT */
/* From the command line of nc3compress to its settings. */
#ifndef NC3Z_TOOLS_COMPRESS_SETTINGS_PARSE_H
#define NC3Z_TOOLS_COMPRESS_SETTINGS_PARSE_H

#include "compress/settings.h"

/*
 * Takes the options of the environment variable NC3Z_OPTIONS, then those of
 * the command line.  Returns the index of the first operand, or -1 after a
 * message.
 */
int settings_parse(struct settings *s, int argc, char **argv);

void settings_release(struct settings *s);

void settings_print_help(void);

/* Prints a completion script; -1 after a message. */
int settings_print_completion(const char *shell);

#endif
