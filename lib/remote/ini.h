/* SPDX-License-Identifier: MIT */
/* The files of AWS's tools: sections of "name = value".  Pure functions. */
#ifndef NC3Z_REMOTE_INI_H
#define NC3Z_REMOTE_INI_H

#include <stdbool.h>

/*
 * The value of a name in the section "[section]", from malloc(); NULL if there
 * is none.  'group' NULL stands for names of the section itself; otherwise the
 * name is one of those that are indented under "group =".
 */
char *ini_find(const char *text, const char *section, const char *group,
	       const char *name);

/* Whether there is a section "[section]". */
bool ini_has(const char *text, const char *section);

#endif
