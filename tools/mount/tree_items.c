/* SPDX-License-Identifier: MIT */
/* From nodes to the items they stand for. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mount/ahead.h"
#include "mount/shelf.h"
#include "mount/tree.h"
#include "mount/tree_inside.h"
#include "nc3z_tools.h"

int tree_show_item(const struct item *directory, const char *name,
		   struct shown *shown_ret)
{
	struct item *item = item_find(directory, name);
	struct item_facts facts = { 0 };
	unsigned version = 0;
	int status = 0;

	if (!item)
		return ENOENT;
	if (!item_is_directory(item))
		status = item_look(item, &facts, &version);
	*shown_ret = (struct shown){
		.as = item->kind == ITEM_ARCHIVE ? SHOWN_DECODED : SHOWN_AS_IS,
		.name_nbytes = strlen(name),
		.item = item,
		.version = version,
	};
	item_stat(item, facts.nbytes, &shown_ret->stat);
	return status;
}

static int open_shelf(struct tree *tree, struct node *node)
{
	struct nc3z_error err = { 0 };
	struct nc3z_source *source;
	struct stat stat;
	char text[1024];
	int fd, status = tree_open_same(tree, node, &fd, &stat);

	if (status != 0)
		return status;
	if (nc3z_source_open_fd(fd, &source, &err) != NC3Z_OK) {
		close(fd);
		return tree_fail(node, &err);
	}
	tree_make_text(node, text, sizeof(text));
	return shelf_open_tar(&tree->naming, &stat, text, source, fd,
			      &node->shelf);
}

int tree_enter_items(struct tree *tree, struct node *dir,
		     struct item **directory_ret)
{
	int status = 0;

	*directory_ret = NULL;
	if (dir->item)
		return item_enter(dir->item, directory_ret);
	if (!dir->is_tar)
		return 0;
	pthread_mutex_lock(&dir->shelf_lock);
	if (!dir->shelf)
		status = open_shelf(tree, dir);
	if (status == 0)
		*directory_ret = &dir->shelf->root;
	pthread_mutex_unlock(&dir->shelf_lock);
	return status;
}

struct open_item {
	struct nc3z_source *source;
	struct ahead ahead;
};

static int open_source(struct node *node, struct open_item *open)
{
	struct item_facts facts = { 0 };
	struct nc3z_error err = { 0 };

	if (item_open_source(node->item, &open->source, &err) != NC3Z_OK)
		return tree_fail(node, &err);
	facts.nbytes = nc3z_source_nbytes(open->source);
	return item_check(node->item, &facts, node->version, &err) == NC3Z_OK ?
		       0 :
		       ESTALE;
}

int tree_open_item(struct node *node, struct open_item **open_ret)
{
	struct open_item *open = calloc(1, sizeof(*open));
	int status;

	if (!open)
		return ENOMEM;
	ahead_init(&open->ahead);
	status = open_source(node, open);
	if (status == 0)
		*open_ret = open;
	else
		tree_close_item(open);
	return status;
}

void tree_close_item(struct open_item *open)
{
	if (!open)
		return;
	ahead_release(&open->ahead);
	nc3z_source_close(open->source);
	free(open);
}

static int read_source(void *source, const struct archive_bytes *bytes,
		       size_t *nbytes_ret, struct nc3z_error *err)
{
	return nc3z_source_read(source, bytes->offset, bytes->data,
				bytes->nbytes, nbytes_ret, err);
}

int tree_read_item(const struct node *node, struct open_item *open,
		   const struct archive_bytes *bytes, size_t *nbytes_ret)
{
	struct nc3z_error err = { 0 };
	int status = item_is_far(node->item) ?
			     ahead_read(&open->ahead, read_source, open->source,
					bytes, nbytes_ret, &err) :
			     read_source(open->source, bytes, nbytes_ret, &err);

	if (status == NC3Z_OK && !item_has_changed(node->item))
		return 0;
	if (status == NC3Z_OK) {
		err.status = NC3Z_ECHANGED;
		strcpy(err.text, "changed while it was open");
	}
	return tree_fail(node, &err);
}
