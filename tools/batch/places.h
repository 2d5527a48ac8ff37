/* SPDX-License-Identifier: MIT */
/*
 * The inputs and outputs of a run, by directory and name, however that was
 * reached: no two jobs read or write the same.  Any thread may call these.
 */
#ifndef NC3Z_TOOLS_BATCH_PLACES_H
#define NC3Z_TOOLS_BATCH_PLACES_H

#include <stdbool.h>
#include <sys/stat.h>

/*
 * Notes an input of this name, without directories; false if it has been
 * before.
 */
bool places_add_input(const struct stat *dir, const char *name);

/*
 * Notes that a file of this name is being written in a directory; false if it
 * has been before in this run, or if memory runs out.
 */
bool places_claim(const struct stat *dir, const char *name);

/* Notes a file that this run has written. */
void places_add_written(const struct stat *file);

enum places_written {
	WRITTEN_ELSEWHERE,
	WRITTEN_HERE,  /* on some systems two names are one */
	WRITTEN_SINCE, /* or another file has its number now */
};

/* Whether a file is one that was noted, and as it was then. */
enum places_written places_find_written(const struct stat *file);

#endif
