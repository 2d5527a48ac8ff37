/* SPDX-License-Identifier: MIT */
/*
 * Removing a file because another one is there.
 *
 * A run that packs x.nc and removes it relies on the archive; a run that
 * restores the archive and removes that relies on x.nc.  They may see the
 * directory by different ways, such as a FUSE mount, a container or NFS, to
 * which locks do not reach; names do.  So a file that is to go is renamed
 * first, and only then is it looked whether the other one has its name.  Of
 * several runs that rely on each other's files the last one to rename its own
 * finds that another one has lost its name.
 *
 * The new name, ".removing-RANDOM-NAME.nc3z-tmp", is of this removal alone.  So
 * whoever finds one that a killed run has left may give the file its name back
 * without knowing whether that run is alive: what it wanted to remove is gone.
 */
#ifndef NC3Z_TOOLS_BATCH_REMOVAL_H
#define NC3Z_TOOLS_BATCH_REMOVAL_H

/* A name, from a directory on as openat() has it. */
struct removal_name {
	int dir_fd;
	const char *path;
};

/* Names of more bytes would be too long meanwhile. */
#define REMOVAL_NAME_NBYTES_MAX 227

struct removal {
	struct removal_name name;
	char *aside; /* what the file is called meanwhile; to be freed */
};

/*
 * Renames a file, which is open; one process at a time, as far as files have
 * locks.  0, or -1 with errno: ENOENT if the name is gone, EEXIST if it is that
 * of another file.
 */
int removal_begin(struct removal *removal, struct removal_name name, int fd);

/*
 * After that, one of these.  0, or -1 with errno: ENOENT if somebody has given
 * the name back; EEXIST if another file has the name, and this one stays
 * 'aside'.
 */
int removal_finish(struct removal *removal);
int removal_undo(struct removal *removal);

/*
 * Gives the files in the directory of a name their names back that a killed run
 * was about to remove.  Each directory is looked at once.
 */
void removal_recover(struct removal_name beside);

#endif
