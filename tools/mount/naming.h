/* SPDX-License-Identifier: MIT */
/*
 * Under which name an entry of the directory is shown, and as what.
 *
 * An archive x.nc.nc3z is shown as x.nc, decoded, unless something else is
 * shown as x.nc; it is then shown as what it is, as everything else is.  What
 * is an archive is told by the end of its name and its first bytes, and so is
 * a tar of archives, x.tar, which is shown as a directory by its own name.
 *
 * A symbolic link is shown as one and never followed here.  If it points to
 * the name of an archive, relative to itself, it is shown pointing to the name
 * which that archive is shown by, and loses the suffix of its own name.
 *
 * So every entry is shown once or not at all, and which way depends only on
 * that entry and on those whose names are its name without suffixes.
 */
#ifndef NC3Z_TOOLS_MOUNT_NAMING_H
#define NC3Z_TOOLS_MOUNT_NAMING_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

/* Directories in directories; deeper ones are not shown. */
#define TREE_DEPTH_MAX 250

struct naming {
	const char *suffix;
	bool archives_only; /* of files, show those that are decoded */
};

enum shown_as {
	SHOWN_NOT,
	SHOWN_AS_IS, /* a file, directory, link or any other kind */
	SHOWN_DECODED,
	SHOWN_ENTERED, /* a tar, as a directory */
};

struct item;

struct shown {
	enum shown_as as;
	size_t name_nbytes; /* shown is so much of the entry's name */
	struct stat stat;   /* as naming_stat() gives it */
	/* Of what is no entry of a directory, but an item: */
	struct item *item;
	unsigned version;
};

/*
 * The status of an entry; that of a link with the length of what it is shown
 * pointing to.  Returns 0 or an errno.
 */
int naming_stat(const struct naming *naming, int dir_fd, const char *entry,
		struct stat *stat_ret);

/*
 * How an entry of a directory is shown.  An entry with the status 'known' is
 * known to be an archive or a tar of archives; NULL: none is.  Returns 0 or an
 * errno.
 */
int naming_show(const struct naming *naming, int dir_fd, const char *entry,
		const struct stat *known, struct shown *shown_ret);

/*
 * Finds the entry, of NAME_MAX + 1 bytes at most, that is shown by a name.
 * ENOENT if there is none.
 */
int naming_find(const struct naming *naming, int dir_fd, const char *name,
		const struct stat *known, char *entry_ret,
		struct shown *shown_ret);

/*
 * The target of a link, as it is shown: a string in 'target', of 'nbytes'
 * bytes, cut if need be.  Returns 0 or an errno.
 */
int naming_read_link(const struct naming *naming, int dir_fd, const char *entry,
		     char *target, size_t nbytes);

/*
 * Opens a regular file for reading; follows no link, waits for nothing.  The
 * descriptor, or -1 with errno.
 */
int naming_open_file(int dir_fd, const char *entry, struct stat *stat_ret);

/* Whether a file is the same and has not been changed. */
bool naming_is_same(const struct stat *a, const struct stat *b);

#endif
