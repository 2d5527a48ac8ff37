/* SPDX-License-Identifier: MIT */
/*
 * Nodes have their address as number, the root that of FUSE.  Names and status
 * are trusted by the kernel for a second; bytes of an archive for as long as
 * it knows their node, as an archive that changes gets a new one.
 *
 * Nothing here writes, and the mount is read-only, so that the kernel does not
 * even ask.
 */
#define _GNU_SOURCE
#include "mount/operations.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "mount/operations_inside.h"

/* Each thread keeps the memory that it reads into. */
static pthread_key_t buffer_key;

struct thread_buffer {
	size_t nbytes;
	char data[];
};

int operations_init(void)
{
	return pthread_key_create(&buffer_key, free);
}

char *operations_buffer(size_t nbytes)
{
	struct thread_buffer *buffer = pthread_getspecific(buffer_key);

	if (buffer && buffer->nbytes >= nbytes)
		return buffer->data;
	free(buffer);
	buffer = malloc(sizeof(*buffer) + nbytes);
	if (pthread_setspecific(buffer_key, buffer) != 0) {
		free(buffer);
		buffer = NULL;
	}
	if (!buffer)
		return NULL;
	buffer->nbytes = nbytes;
	return buffer->data;
}

static void init(void *context, struct fuse_conn_info *connection)
{
	(void)context;
	/* Bytes that pass through need not be copied. */
	if (connection->capable & FUSE_CAP_SPLICE_WRITE)
		connection->want |= FUSE_CAP_SPLICE_WRITE;
}

static void lookup(fuse_req_t request, fuse_ino_t dir, const char *name)
{
	struct tree *tree = tree_of(request);
	struct fuse_entry_param entry;
	struct found found;
	int status = tree_lookup(tree, node_of(tree, dir), name, &found);

	if (status != 0) {
		fuse_reply_err(request, status);
		return;
	}
	entry = entry_of(&found);
	/* A request that was interrupted leaves nothing to forget. */
	if (fuse_reply_entry(request, &entry) == -ENOENT)
		tree_forget(tree, found.node, 1);
}

static void forget_node(fuse_req_t request, fuse_ino_t number,
			uint64_t nlookups)
{
	struct tree *tree = tree_of(request);

	if (number != FUSE_ROOT_ID)
		tree_forget(tree, node_of(tree, number), nlookups);
	fuse_reply_none(request);
}

static void forget_multi(fuse_req_t request, size_t count,
			 struct fuse_forget_data *list)
{
	struct tree *tree = tree_of(request);

	for (size_t i = 0; i < count; i++)
		if (list[i].ino != FUSE_ROOT_ID)
			tree_forget(tree, node_of(tree, list[i].ino),
				    list[i].nlookup);
	fuse_reply_none(request);
}

static void get_attributes(fuse_req_t request, fuse_ino_t number,
			   struct fuse_file_info *unused)
{
	struct tree *tree = tree_of(request);
	struct stat stat;
	int status = tree_stat(tree, node_of(tree, number), &stat);

	(void)unused;
	if (status == 0)
		fuse_reply_attr(request, &stat, TRUSTED_SECONDS);
	else
		fuse_reply_err(request, status);
}

static void read_link(fuse_req_t request, fuse_ino_t number)
{
	struct tree *tree = tree_of(request);
	char target[PATH_MAX];
	int status = tree_read_link(tree, node_of(tree, number), target,
				    sizeof(target));

	if (status == 0)
		fuse_reply_readlink(request, target);
	else
		fuse_reply_err(request, status);
}

static void check_access(fuse_req_t request, fuse_ino_t number, int mode)
{
	struct tree *tree = tree_of(request);

	fuse_reply_err(request, tree_access(tree, node_of(tree, number), mode));
}

static struct open_item *open_item_of(const struct fuse_file_info *info)
{
	return (struct open_item *)(uintptr_t)info->fh;
}

static void close_node(struct tree *tree, struct node *node,
		       const struct fuse_file_info *info)
{
	if (node->is_archive)
		tree_close_archive(tree, node);
	else if (node->item)
		tree_close_item(open_item_of(info));
	else
		close((int)info->fh);
}

static void open_node(fuse_req_t request, fuse_ino_t number,
		      struct fuse_file_info *info)
{
	struct tree *tree = tree_of(request);
	struct node *node = node_of(tree, number);
	struct open_item *open = NULL;
	bool is_same = true;
	int fd = -1, status;

	if ((info->flags & O_ACCMODE) != O_RDONLY)
		status = EROFS;
	else if (node->is_archive)
		status = tree_open_archive(tree, node);
	else if (node->item)
		status = tree_open_item(node, &open);
	else
		status = tree_open_plain(tree, node, &fd, &is_same);
	if (status != 0) {
		fuse_reply_err(request, status);
		return;
	}
	info->fh = open ? (uint64_t)(uintptr_t)open : (uint64_t)fd;
	info->keep_cache = is_same;
	/* Interrupted: it will not be released. */
	if (fuse_reply_open(request, info) == -ENOENT)
		close_node(tree, node, info);
}

static void release_file(fuse_req_t request, fuse_ino_t number,
			 struct fuse_file_info *info)
{
	struct tree *tree = tree_of(request);
	close_node(tree, node_of(tree, number), info);
	fuse_reply_err(request, 0);
}

/* An archive or, if it is open, a plain file that is an item. */
static void read_bytes(fuse_req_t request, struct node *node,
		       struct open_item *open, struct archive_bytes bytes)
{
	char *data = operations_buffer(bytes.nbytes);
	int status = ENOMEM;
	size_t got;

	bytes.data = data;
	if (data && open)
		status = tree_read_item(node, open, &bytes, &got);
	else if (data)
		status = tree_read_archive(tree_of(request), node, data,
					   bytes.nbytes, bytes.offset, &got);
	if (status == 0)
		fuse_reply_buf(request, data, got);
	else
		fuse_reply_err(request, status);
}

static void read_node(fuse_req_t request, fuse_ino_t number, size_t nbytes,
		      off_t offset, struct fuse_file_info *info)
{
	struct node *node = node_of(tree_of(request), number);
	struct fuse_bufvec plain = FUSE_BUFVEC_INIT(nbytes);

	if (node->is_archive || node->item) {
		read_bytes(request, node,
			   node->is_archive ? NULL : open_item_of(info),
			   (struct archive_bytes){
				   .nbytes = nbytes,
				   .offset = (uint64_t)offset,
			   });
		return;
	}
	plain.buf[0].flags = FUSE_BUF_IS_FD | FUSE_BUF_FD_SEEK;
	plain.buf[0].fd = (int)info->fh;
	plain.buf[0].pos = offset;
	fuse_reply_data(request, &plain, FUSE_BUF_SPLICE_MOVE);
}

static void stat_file_system(fuse_req_t request, fuse_ino_t unused)
{
	int root_fd = tree_of(request)->root_fd;
	struct statvfs stat = { .f_namemax = NAME_MAX };

	(void)unused;
	if (root_fd < 0 || fstatvfs(root_fd, &stat) == 0)
		fuse_reply_statfs(request, &stat);
	else
		fuse_reply_err(request, errno);
}

const struct fuse_lowlevel_ops operations = {
	.init = init,
	.lookup = lookup,
	.forget = forget_node,
	.forget_multi = forget_multi,
	.getattr = get_attributes,
	.readlink = read_link,
	.access = check_access,
	.open = open_node,
	.release = release_file,
	.read = read_node,
	.opendir = operation_open_dir,
	.releasedir = operation_release_dir,
	.readdir = operation_read_dir,
	.readdirplus = operation_read_dir_with_status,
	.statfs = stat_file_system,
};
