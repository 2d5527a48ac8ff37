/* SPDX-License-Identifier: MIT */
/* A directory with archives, and what the mount makes of it, without FUSE. */
#ifndef MOUNT_STAGE_H
#define MOUNT_STAGE_H

#include "check.h"
#include "pipes.h"
#include "mount/tree.h"

struct stage {
	char dir[DIR_NAME_MAX];
	struct archives *archives;
	struct tree tree;
};

/* An empty directory; 'limits' may be NULL for the defaults. */
void stage_begin(struct stage *stage, const struct archives_limits *limits);
/* Removes the directory and what is in it. */
void stage_end(struct stage *stage);

/* The tree anew, of directory and archives as they are, with another naming. */
void stage_name(struct stage *stage, const char *suffix, bool archives_only);

/*
 * Writes an archive in blocks of 4 KiB; 'original' gets about 'nbytes' bytes,
 * which follow from 'seed'.  It may be NULL.
 */
void stage_archive(struct stage *stage, const char *name, size_t nbytes,
		   uint64_t seed, struct blob *original);
void stage_file(struct stage *stage, const char *name, const char *text);
void stage_link(struct stage *stage, const char *name, const char *target);
void stage_dir(struct stage *stage, const char *name);
/* Puts one entry in the place of another. */
void stage_rename(struct stage *stage, const char *from, const char *to);
/* Turns the bits of so many bytes. */
void stage_damage(struct stage *stage, const char *name, uint64_t offset,
		  size_t nbytes);

/*
 * Looks a path up, "a/b"; 0 or an errno.  All directories that are found stay
 * looked up.
 */
int stage_lookup(struct stage *stage, const char *path, struct found *found);

/* Opens an archive, reads 'nbytes' from an offset and closes it. */
int stage_read(struct stage *stage, struct node *node, void *data,
	       size_t nbytes, uint64_t offset, size_t *nbytes_ret);

/* Whether all bytes of an archive are those of its original. */
bool stage_is_original(struct stage *stage, struct node *node,
		       const struct blob *original);

#endif
