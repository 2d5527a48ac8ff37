/* SPDX-License-Identifier: MIT */
/*
 * The files and directories that are shown, as far as they are in use.
 *
 * A node stands for a name that is shown in a directory, and for what it meant
 * when it was looked up.  If that is another file now, or an archive that has
 * changed, the name gets a new node, and the old one lives on as long as it is
 * in use: what the kernel remembers of a node's bytes never becomes wrong.
 *
 * Nodes have no descriptors: a node is found again by the names of its
 * directories, from the root on, no link being followed, and compared with what
 * it was.
 *
 * Calls return 0 or an errno; any number of threads may make them.
 */
#ifndef NC3Z_TOOLS_MOUNT_TREE_H
#define NC3Z_TOOLS_MOUNT_TREE_H

#include <pthread.h>

#include "mount/archives.h"
#include "mount/naming.h"

struct node {
	struct node *parent; /* NULL: the root */
	char *entry;         /* its name in the directory */
	size_t name_nbytes;  /* shown is so much of it */
	unsigned depth;
	bool is_archive;
	bool is_tar;              /* that is shown as a directory */
	struct item *item;        /* NULL: an entry of a directory */
	unsigned version;         /* of the item */
	struct stat stat;         /* of the entry, when it was first found */
	uint64_t original_nbytes; /* of an archive */
	pthread_mutex_t shelf_lock;
	struct shelf *shelf; /* of a tar, NULL until somebody enters */
	/* Under the tree's lock: */
	uint64_t nlookups; /* that the kernel has not forgotten */
	size_t nchildren;
	bool is_listed; /* under its name */
	struct node *next_in_bucket;
	struct node *previous, *next; /* of all nodes */
	struct stat last_opened;      /* unless it is an archive */
	/* Under that of the archives: */
	struct archive archive;
};

struct tree {
	int root_fd; /* -1: the root is an item */
	struct naming naming;
	struct archives *archives;
	pthread_mutex_t lock;
	/* Under the lock: */
	struct node root;
	struct node **buckets;
	size_t nbuckets; /* a power of 2 */
	size_t nnodes;
};

/* The meaning of a name: a node, and its status as it is shown. */
struct found {
	struct node *node;
	struct stat stat;
};

/* The caller keeps the descriptor of the directory, and the archives. */
int tree_init(struct tree *tree, int root_fd, const struct naming *naming,
	      struct archives *archives);

/* The same for items, which stay the caller's. */
int tree_init_items(struct tree *tree, struct item *root,
		    const struct naming *naming, struct archives *archives);

/* Nothing is in use any more. */
void tree_release(struct tree *tree);

/*
 * Finds what a name in a directory means, and counts one more lookup of it.
 * EIO after a message if it is an archive whose end cannot be read.
 */
int tree_lookup(struct tree *tree, struct node *dir, const char *name,
		struct found *found_ret);

/* The same for an entry of a directory of which is known how it is shown. */
int tree_enter(struct tree *tree, struct node *dir, int dir_fd,
	       const char *entry, const struct shown *shown,
	       struct found *found_ret);

/* Undoes that many lookups. */
void tree_forget(struct tree *tree, struct node *node, uint64_t nlookups);

/* As stat() shows it: what there is, without write permission. */
int tree_stat(struct tree *tree, struct node *node, struct stat *stat_ret);

int tree_read_link(struct tree *tree, struct node *node, char *target,
		   size_t nbytes);

/* Whether the user of the process may do what access() calls 'mode'. */
int tree_access(struct tree *tree, struct node *node, int mode);

/*
 * Opens a file that is no archive; ESTALE if it is another one now.
 * '*is_same_ret' is whether its bytes are those of the last time.
 */
int tree_open_plain(struct tree *tree, struct node *node, int *fd_ret,
		    bool *is_same_ret);

/* Opens an archive; ESTALE if it has changed. */
int tree_open_archive(struct tree *tree, struct node *node);
void tree_close_archive(struct tree *tree, struct node *node);

/*
 * Reads bytes of the original of an open archive, fewer only at its end.  EIO
 * after a message.
 */
int tree_read_archive(struct tree *tree, struct node *node, void *data,
		      size_t nbytes, uint64_t offset, size_t *nbytes_ret);

/* A plain file that is an item, opened by a program. */
struct open_item;

int tree_open_item(struct node *node, struct open_item **open_ret);

/* NULL is allowed. */
void tree_close_item(struct open_item *open);

/* Reads bytes of one.  EIO after a message. */
int tree_read_item(const struct node *node, struct open_item *open,
		   const struct archive_bytes *bytes, size_t *nbytes_ret);

/*
 * The items that a directory has; NULL if it is one of this machine.  EIO after
 * a message.
 */
int tree_enter_items(struct tree *tree, struct node *dir,
		     struct item **directory_ret);

/* Opens a directory with flags of open(). */
int tree_open_dir(struct tree *tree, const struct node *node, int flags,
		  int *fd_ret);

#endif
