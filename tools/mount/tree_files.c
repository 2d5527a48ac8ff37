/* SPDX-License-Identifier: MIT */
/* From nodes to the files they stand for. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "mount/log.h"
#include "mount/shelf.h"
#include "mount/tree.h"
#include "mount/tree_inside.h"

#define ALL_MAY_WRITE (S_IWUSR | S_IWGRP | S_IWOTH)

/* The directories from below the root to a node; their number. */
static size_t dirs_to(const struct node *node, const struct node **chain)
{
	size_t n = node->depth;

	for (; node->parent; node = node->parent)
		chain[node->depth - 1] = node;
	return n;
}

int tree_open_dir(struct tree *tree, const struct node *node, int flags,
		  int *fd_ret)
{
	const struct node *chain[TREE_DEPTH_MAX];
	size_t n = dirs_to(node, chain);
	int fd = tree->root_fd, next, sys_errno;

	flags |= O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
	if (n == 0) {
		*fd_ret = openat(fd, ".", flags);
		return *fd_ret < 0 ? errno : 0;
	}
	for (size_t i = 0; i < n; i++) {
		next = openat(fd, chain[i]->entry,
			      i + 1 < n ? O_PATH | O_DIRECTORY | O_NOFOLLOW |
						  O_CLOEXEC :
					  flags);
		sys_errno = errno;
		if (fd != tree->root_fd)
			close(fd);
		/* It was a directory, and no link. */
		if (next < 0)
			return sys_errno == ENOTDIR || sys_errno == ELOOP ?
				       ESTALE :
				       sys_errno;
		fd = next;
	}
	*fd_ret = fd;
	return 0;
}

/* The path of a node from the directory on, for messages; cut if need be. */
static void make_path(const struct node *node, char *path, size_t nbytes)
{
	const struct node *chain[TREE_DEPTH_MAX + 1];
	size_t n = dirs_to(node, chain), used = 0;

	path[0] = '\0';
	for (size_t i = 0; i < n && used < nbytes; i++)
		used += (size_t)snprintf(path + used, nbytes - used, "%s%s",
					 i > 0 ? "/" : "", chain[i]->entry);
}

/* Where a node's bytes come from, for messages. */
void tree_make_text(const struct node *node, char *text, size_t nbytes)
{
	if (node->item)
		item_text(node->item, text, nbytes);
	else
		make_path(node, text, nbytes);
}

static int errno_of(const struct nc3z_error *err)
{
	switch (err->status) {
	case NC3Z_ENOMEM:
		return ENOMEM;
	case NC3Z_EIO:
		return err->sys_errno != 0 ? err->sys_errno : EIO;
	default:
		return EIO;
	}
}

int tree_fail(const struct node *node, const struct nc3z_error *err)
{
	char text[1024];

	tree_make_text(node, text, sizeof(text));
	log_file(text, "%s", err->text);
	/* What a server answers is no errno of the file that is shown. */
	return node->item && err->status != NC3Z_ENOMEM ? EIO : errno_of(err);
}

static int read_summary(int fd, struct nc3z_summary *summary_ret,
			struct nc3z_error *err)
{
	struct nc3z_source *source;
	int status = nc3z_source_open_fd(fd, &source, err);

	if (status != NC3Z_OK)
		return status;
	status = nc3z_summarize(source, summary_ret, err);
	nc3z_source_close(source);
	return status;
}

int tree_read_size(struct node *node, int dir_fd)
{
	struct nc3z_error err = { 0 };
	struct nc3z_summary summary;
	struct stat stat;
	int fd = naming_open_file(dir_fd, node->entry, &stat);
	int status = 0;

	if (fd < 0)
		return errno;
	if (!naming_is_same(&stat, &node->stat))
		status = ESTALE;
	else if (read_summary(fd, &summary, &err) != NC3Z_OK)
		status = tree_fail(node, &err);
	else if (summary.original_nbytes > INT64_MAX)
		status = EOVERFLOW;
	else
		node->original_nbytes = summary.original_nbytes;
	close(fd);
	return status;
}

void tree_show_stat(const struct node *node, const struct stat *stat,
		    struct stat *stat_ret)
{
	*stat_ret = *stat;
	if (node->is_tar)
		shelf_stat_directory(stat, stat_ret);
	stat_ret->st_mode &= ~(mode_t)ALL_MAY_WRITE;
	if (node->is_archive) {
		stat_ret->st_size = (off_t)node->original_nbytes;
		stat_ret->st_blocks = (stat_ret->st_size + 511) / 512;
	}
}

/* The directory that a node is in. */
static int open_parent(struct tree *tree, const struct node *node, int *fd_ret)
{
	return tree_open_dir(tree, node->parent, O_PATH, fd_ret);
}

/* The status of the node's entry now, which need not be what it was. */
static int stat_entry(struct tree *tree, const struct node *node,
		      struct stat *stat_ret)
{
	int fd, status = open_parent(tree, node, &fd);

	if (status != 0)
		return status;
	status = naming_stat(&tree->naming, fd, node->entry, stat_ret);
	close(fd);
	return status;
}

int tree_stat(struct tree *tree, struct node *node, struct stat *stat_ret)
{
	struct stat stat;
	int status;

	if (node->is_archive || node->is_tar || node->item) {
		/*
		 * One that changes gets another node: whoever has opened this
		 * one goes on with it, and asks for its status, too.
		 */
		tree_show_stat(node, &node->stat, stat_ret);
		return 0;
	}
	if (!node->parent)
		status = fstat(tree->root_fd, &stat) == 0 ? 0 : errno;
	else
		status = stat_entry(tree, node, &stat);
	if (status != 0)
		return status;
	if (stat.st_dev != node->stat.st_dev ||
	    stat.st_ino != node->stat.st_ino)
		return ESTALE;
	tree_show_stat(node, &stat, stat_ret);
	return 0;
}

int tree_read_link(struct tree *tree, struct node *node, char *target,
		   size_t nbytes)
{
	int fd, status = open_parent(tree, node, &fd);

	if (status != 0)
		return status;
	status = naming_read_link(&tree->naming, fd, node->entry, target,
				  nbytes);
	close(fd);
	return status;
}

int tree_access(struct tree *tree, struct node *node, int mode)
{
	int fd, status;

	if (mode & W_OK)
		return EROFS;
	if (node->item)
		return (mode & X_OK) && !item_is_directory(node->item) ?
			       EACCES :
			       0;
	if (node->is_tar && (mode & X_OK))
		mode = R_OK; /* as the status shows it */
	if (!node->parent)
		return faccessat(tree->root_fd, ".", mode, 0) == 0 ? 0 : errno;
	status = open_parent(tree, node, &fd);
	if (status != 0)
		return status;
	if (faccessat(fd, node->entry, mode, AT_SYMLINK_NOFOLLOW) != 0)
		status = errno;
	close(fd);
	return status;
}

static int open_file(struct tree *tree, const struct node *node, int *fd_ret,
		     struct stat *stat_ret)
{
	int fd, status = open_parent(tree, node, &fd);

	if (status != 0)
		return status;
	*fd_ret = naming_open_file(fd, node->entry, stat_ret);
	if (*fd_ret < 0)
		status = errno == ELOOP ? ESTALE : errno;
	close(fd);
	return status;
}

int tree_open_plain(struct tree *tree, struct node *node, int *fd_ret,
		    bool *is_same_ret)
{
	struct stat stat;
	int status = open_file(tree, node, fd_ret, &stat);

	if (status != 0)
		return status;
	if (stat.st_dev != node->stat.st_dev ||
	    stat.st_ino != node->stat.st_ino) {
		close(*fd_ret);
		return ESTALE;
	}
	pthread_mutex_lock(&tree->lock);
	*is_same_ret = naming_is_same(&stat, &node->last_opened);
	node->last_opened = stat;
	pthread_mutex_unlock(&tree->lock);
	return 0;
}

int tree_open_same(struct tree *tree, const struct node *node, int *fd_ret,
		   struct stat *stat_ret)
{
	int status = open_file(tree, node, fd_ret, stat_ret);

	if (status == 0 && !naming_is_same(stat_ret, &node->stat)) {
		close(*fd_ret);
		status = ESTALE;
	}
	return status;
}

int tree_open_archive(struct tree *tree, struct node *node)
{
	struct stat stat = node->stat;
	int fd = -1, status = 0;

	if (!node->item)
		status = tree_open_same(tree, node, &fd, &stat);
	if (status != 0)
		return status;
	archives_open(tree->archives, &node->archive, fd, &stat);
	return 0;
}

void tree_close_archive(struct tree *tree, struct node *node)
{
	archives_close(tree->archives, &node->archive);
}

int tree_read_archive(struct tree *tree, struct node *node, void *data,
		      size_t nbytes, uint64_t offset, size_t *nbytes_ret)
{
	const struct archive_bytes bytes = { data, nbytes, offset };
	struct nc3z_error err = { 0 };

	if (archives_read(tree->archives, &node->archive, &bytes, nbytes_ret,
			  &err) == NC3Z_OK)
		return 0;
	return tree_fail(node, &err);
}
