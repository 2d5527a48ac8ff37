/* Shared by the files of the tree. */
#ifndef NC3Z_TOOLS_MOUNT_TREE_INSIDE_H
#define NC3Z_TOOLS_MOUNT_TREE_INSIDE_H

#include "mount/tree.h"

/* Reads the size of an archive's original; EIO after a message. */
int tree_read_size(struct node *node, int dir_fd);

/* The status of a node's entry, as it is shown. */
void tree_show_stat(const struct node *node, const struct stat *stat,
		    struct stat *stat_ret);

#endif
