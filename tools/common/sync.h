/* SPDX-License-Identifier: MIT */
/* What has to be on disk before something else is lost. */
#ifndef NC3Z_TOOLS_COMMON_SYNC_H
#define NC3Z_TOOLS_COMMON_SYNC_H

/*
 * Brings the names in a directory to the disk; 'path' is relative to 'dir_fd',
 * 'fd' anything on the same file system, all of which is synced where the
 * directory may be written to, but not opened.  0, or -1 with errno.
 */
int sync_directory(int dir_fd, const char *path, int fd);

/* The same for the directory that has the file 'path'. */
int sync_directory_of(int dir_fd, const char *path, int fd);

#endif
