/* SPDX-License-Identifier: MIT */
/*
 * One line on the terminal about work that takes long: bytes, rate, ratio, time
 * left.  Nothing where standard error is no terminal.
 */
#ifndef NC3Z_TOOLS_COMMON_PROGRESS_H
#define NC3Z_TOOLS_COMMON_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct progress {
	bool is_on;
	const char *name;
	uint64_t total_nbytes; /* 0: not known */
	bool counts_archive;   /* the total is that of the archive */
	double begin;          /* seconds */
	double shown;
};

/* No lines in this process. */
void progress_off(void);

/* Begins; 'total_nbytes' is the size of the input, 0 if it is not known. */
void progress_begin(struct progress *p, const char *name, uint64_t total_nbytes,
		    bool counts_archive);

/* An nc3z_progress_fn; the context is the struct progress. */
void progress_update(void *context, uint64_t original_nbytes,
		     uint64_t archive_nbytes);

/* How many of several files are done; all lines show it.  Any thread. */
void progress_set_files(size_t ndone, size_t nfiles);

/* Removes the line if one is there. */
void progress_clear(void);

#endif
