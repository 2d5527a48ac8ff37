/* SPDX-License-Identifier: MIT */
/*
 * Real pipes: a thread that writes at one end, a thread that reads at the
 * other; and directories for files of a test.
 */
#ifndef UNIT_PIPES_H
#define UNIT_PIPES_H

#include <pthread.h>
#include <stdbool.h>

#include "blob.h"

/* Writes bytes into a pipe, in pieces of up to 'max_piece' bytes. */
struct feeder {
	const uint8_t *data;
	size_t nbytes;
	size_t max_piece;
	int read_fd; /* for the test; feeder_stop() closes it */
	int write_fd;
	pthread_t thread;
};

void feeder_start(struct feeder *f, const void *data, size_t nbytes,
		  size_t max_piece);
void feeder_stop(struct feeder *f);

/* Collects what the test writes into a pipe. */
struct collector {
	struct blob bytes;
	int write_fd; /* for the test; collector_stop() closes it */
	int read_fd;
	pthread_t thread;
};

void collector_start(struct collector *c);
/* Afterwards 'bytes' is complete; it is to be released. */
void collector_stop(struct collector *c);

/* An empty directory below the current one, and its name. */
#define DIR_NAME_MAX 64
void dir_make(char name[DIR_NAME_MAX]);
/* The number of files in it, hidden ones included. */
unsigned dir_count(const char *name);
void dir_remove(const char *name);

/* "DIR/FILE"; the result is to be freed. */
char *dir_path(const char *dir, const char *file);

void file_write(const char *path, const void *data, size_t nbytes);
/* What is in a file; false if there is none. */
bool file_read(const char *path, struct blob *out);

#endif
