/* SPDX-License-Identifier: MIT */
/* What the operations share: those on directories are in operations_dir.c. */
#ifndef NC3Z_TOOLS_MOUNT_OPERATIONS_INSIDE_H
#define NC3Z_TOOLS_MOUNT_OPERATIONS_INSIDE_H

#include "mount/fuse.h"
#include "mount/tree.h"

#define TRUSTED_SECONDS 1.0

static inline struct tree *tree_of(fuse_req_t request)
{
	return fuse_req_userdata(request);
}

static inline struct node *node_of(struct tree *tree, fuse_ino_t number)
{
	return number == FUSE_ROOT_ID ? &tree->root :
					(struct node *)(uintptr_t)number;
}

static inline struct fuse_entry_param entry_of(const struct found *found)
{
	return (struct fuse_entry_param){
		.ino = (fuse_ino_t)(uintptr_t)found->node,
		.attr = found->stat,
		.attr_timeout = TRUSTED_SECONDS,
		.entry_timeout = TRUSTED_SECONDS,
	};
}

/* Memory of this thread, until the next call; NULL if there is none. */
char *operations_buffer(size_t nbytes);

void operation_open_dir(fuse_req_t request, fuse_ino_t number,
			struct fuse_file_info *info);
void operation_release_dir(fuse_req_t request, fuse_ino_t unused,
			   struct fuse_file_info *info);
void operation_read_dir(fuse_req_t request, fuse_ino_t number, size_t nbytes,
			off_t offset, struct fuse_file_info *info);
void operation_read_dir_with_status(fuse_req_t request, fuse_ino_t number,
				    size_t nbytes, off_t offset,
				    struct fuse_file_info *info);

#endif
