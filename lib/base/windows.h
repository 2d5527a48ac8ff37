/* SPDX-License-Identifier: MIT */
/*
 * POSIX functions that mingw-w64 lacks, for builds for Windows, which include
 * this before all else.
 */
#ifndef NC3Z_BASE_WINDOWS_H
#define NC3Z_BASE_WINDOWS_H

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef ESTALE
#define ESTALE 116 /* as Linux has it */
#endif

static inline char *strndup(const char *text, size_t nbytes_max)
{
	size_t nbytes = strnlen(text, nbytes_max);
	char *copy = malloc(nbytes + 1);

	if (copy) {
		memcpy(copy, text, nbytes);
		copy[nbytes] = '\0';
	}
	return copy;
}

static inline void flockfile(FILE *file)
{
	_lock_file(file);
}

static inline void funlockfile(FILE *file)
{
	_unlock_file(file);
}

#endif
