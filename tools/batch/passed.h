/* SPDX-License-Identifier: MIT */
/*
 * What is skipped: counted by kind, and named if that is wanted.  Any thread
 * may call these.
 */
#ifndef NC3Z_TOOLS_BATCH_PASSED_H
#define NC3Z_TOOLS_BATCH_PASSED_H

#include <stdbool.h>
#include <stdio.h>

#include "batch/settings.h"

enum passed_kind {
	PASSED_NETCDF4,
	PASSED_EMPTY,
	PASSED_LINK,
	PASSED_TEMPORARY,
	PASSED_SPECIAL, /* a device, a pipe, a socket */
	PASSED_OTHER,   /* another format */
	PASSED_NEW,     /* by --older-than */
	PASSED_OFFLINE, /* on tape, unless --offline takes them */
	PASSED_PATTERN, /* by --exclude and --include */
	PASSED_PACKED,  /* by --rm: an archive has other bytes */
	PASSED_LINKED,  /* by --rm: the file has other names */
	PASSED_PAIR,    /* an archive whose original is an input, too */
	PASSED_END,
};

/* Counts and names a file; 'reason' NULL says the kind. */
void passed_over(const struct settings *settings, const char *path,
		 enum passed_kind kind, const char *reason);

/* An archive where files to be packed are looked for. */
void passed_archive(void);

/* How many there were. */
size_t passed_count(void);

/* Whether there was anything that is the program's business. */
bool passed_any(void);

/* " (2 netCDF-4, 1 symbolic link)" of those skipped, or {"netcdf4": 2, ...} */
void passed_put_kinds(FILE *to);
void passed_put_json(FILE *to);

/* Says how many look like a mistake. */
void passed_summarize(const struct settings *settings);

#endif
