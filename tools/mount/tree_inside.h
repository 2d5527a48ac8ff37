/* What the files of the tree share. */
#ifndef NC3Z_TOOLS_MOUNT_TREE_INSIDE_H
#define NC3Z_TOOLS_MOUNT_TREE_INSIDE_H

#include "mount/tree.h"

/* Reads the size of an archive's original; EIO after a message. */
int tree_read_size(struct node *node, int folder_fd);

/* What is shown of the status of a node's entry. */
void tree_show_stat(const struct node *node, const struct stat *stat,
		    struct stat *stat_ret);

#endif
