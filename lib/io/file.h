/* SPDX-License-Identifier: MIT */
/*
 * Files that are read, as the system has them: all that the reader asks of a
 * system about files is here, in file_posix.c or file_windows.c.  Functions
 * that fail leave errno.  Any thread may call them.
 */
#ifndef NC3Z_IO_FILE_H
#define NC3Z_IO_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

enum file_kind {
	FILE_REGULAR,
	FILE_DIRECTORY,
	FILE_OTHER, /* a pipe, a terminal, a device */
};

/* What a file is like; 0 where a system has no such thing. */
struct file_state {
	enum file_kind kind;
	uint64_t nbytes;
	struct timespec modified; /* its bytes */
	struct timespec changed;  /* anything of it; nobody can set it back */
	uint64_t nlinks;
	uint64_t permissions;
	uint64_t owner;
	uint64_t group;
};

/* Opens a file for reading, without waiting; -1 if that fails. */
int file_open(const char *path);

void file_close(int fd);

/* Whether anything has this name. */
bool file_exists(const char *path);

/* 0, or -1 if that fails. */
int file_inquire(int fd, struct file_state *state);

/* Where a descriptor stands; negative if it cannot seek. */
int64_t file_position(int fd);

/*
 * Reads at an offset, or the next bytes: at least one and at most 'nbytes', 0
 * at the end, -1 if that fails.  No signal interrupts them.
 */
ssize_t file_read_at(int fd, void *data, size_t nbytes, uint64_t offset);
ssize_t file_read_next(int fd, void *data, size_t nbytes);

#endif
