/* SPDX-License-Identifier: MIT */
/* Shared by the files of the tree. */
#ifndef NC3Z_TOOLS_MOUNT_TREE_INSIDE_H
#define NC3Z_TOOLS_MOUNT_TREE_INSIDE_H

#include <stddef.h>
#include <sys/stat.h>

struct item;
struct nc3z_error;
struct node;
struct shown;
struct tree;

/* Reads the size of an archive's original; EIO after a message. */
int tree_read_size(struct node *node, int dir_fd);

/* Looks a name up among items; ENOENT. */
int tree_show_item(const struct item *directory, const char *name,
		   struct shown *shown_ret);

/* Where a node's bytes come from, for messages; cut if need be. */
void tree_make_text(const struct node *node, char *text, size_t text_nbytes);

/* Says why, and returns the errno for it. */
int tree_fail(const struct node *node, const struct nc3z_error *err);

/* Opens a node's file; ESTALE if it is not what it was. */
int tree_open_same(struct tree *tree, const struct node *node, int *fd_ret,
		   struct stat *stat_ret);

/* What is shown of the status of a node's entry. */
void tree_show_stat(const struct node *node, const struct stat *stat,
		    struct stat *stat_ret);

#endif
