/* SPDX-License-Identifier: MIT */
/* Nodes: looking them up, counting who uses them, forgetting them. */
#define _GNU_SOURCE
#include "mount/tree.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mount/shelf.h"
#include "mount/tree_inside.h"

#define NBUCKETS_FIRST 1024

static size_t bucket_of(const struct tree *tree, const struct node *dir,
			const char *name, size_t name_nbytes)
{
	uint64_t hash = (uint64_t)(uintptr_t)dir;

	for (size_t i = 0; i < name_nbytes; i++)
		hash = (hash ^ (unsigned char)name[i]) *
		       UINT64_C(0x100000001b3);
	hash ^= hash >> 32;
	return (size_t)hash & (tree->nbuckets - 1);
}

/* The following with the lock. */

static struct node *find_node(const struct tree *tree, const struct node *dir,
			      const char *name, size_t name_nbytes)
{
	struct node *node =
		tree->buckets[bucket_of(tree, dir, name, name_nbytes)];

	while (node &&
	       (node->parent != dir || node->name_nbytes != name_nbytes ||
		memcmp(node->entry, name, name_nbytes) != 0))
		node = node->next_in_bucket;
	return node;
}

static void list(struct tree *tree, struct node *node)
{
	size_t i =
		bucket_of(tree, node->parent, node->entry, node->name_nbytes);

	node->next_in_bucket = tree->buckets[i];
	tree->buckets[i] = node;
	node->is_listed = true;
}

static void unlist(struct tree *tree, struct node *node)
{
	size_t i =
		bucket_of(tree, node->parent, node->entry, node->name_nbytes);
	struct node **link = &tree->buckets[i];

	if (!node->is_listed)
		return;
	while (*link != node)
		link = &(*link)->next_in_bucket;
	*link = node->next_in_bucket;
	node->is_listed = false;
}

/* Without memory for it, the old table is slow but good. */
static void grow_tree(struct tree *tree)
{
	size_t nbuckets = tree->nbuckets * 2;
	struct node **buckets = calloc(nbuckets, sizeof(struct node *));
	struct node *node;

	if (!buckets)
		return;
	free((void *)tree->buckets);
	tree->buckets = buckets;
	tree->nbuckets = nbuckets;
	for (node = tree->root.next; node != &tree->root; node = node->next)
		if (node->is_listed)
			list(tree, node);
}

static void add_node(struct tree *tree, struct node *node)
{
	struct node *root = &tree->root;

	if (++tree->nnodes > tree->nbuckets)
		grow_tree(tree);
	node->previous = root;
	node->next = root->next;
	root->next->previous = node;
	root->next = node;
	node->parent->nchildren++;
	list(tree, node);
}

static void take_out(struct tree *tree, struct node *node)
{
	unlist(tree, node);
	node->previous->next = node->next;
	node->next->previous = node->previous;
	node->parent->nchildren--;
	tree->nnodes--;
}

/* Until here. */

static void free_node(struct tree *tree, struct node *node)
{
	if (node->is_archive)
		archives_drop(tree->archives, &node->archive);
	shelf_free(node->shelf);
	pthread_mutex_destroy(&node->shelf_lock);
	free(node->entry);
	free(node);
}

int tree_init(struct tree *tree, int root_fd, const struct naming *naming,
	      struct archives *archives)
{
	*tree = (struct tree){
		.root_fd = root_fd,
		.naming = *naming,
		.archives = archives,
		.nbuckets = NBUCKETS_FIRST,
	};
	tree->buckets = calloc(tree->nbuckets, sizeof(struct node *));
	if (!tree->buckets)
		return ENOMEM;
	tree->root.previous = &tree->root;
	tree->root.next = &tree->root;
	tree->root.nlookups = 1; /* forever */
	pthread_mutex_init(&tree->lock, NULL);
	pthread_mutex_init(&tree->root.shelf_lock, NULL);
	if (root_fd < 0)
		return 0;
	return fstat(root_fd, &tree->root.stat) == 0 ? 0 : errno;
}

int tree_init_items(struct tree *tree, struct item *root,
		    const struct naming *naming, struct archives *archives)
{
	int status = tree_init(tree, -1, naming, archives);

	if (status != 0)
		return status;
	tree->root.item = root;
	item_stat(root, 0, &tree->root.stat);
	return 0;
}

void tree_release(struct tree *tree)
{
	struct node *node;

	if (!tree->buckets)
		return;
	while ((node = tree->root.next) != &tree->root) {
		tree->root.next = node->next;
		free_node(tree, node);
	}
	free((void *)tree->buckets);
	pthread_mutex_destroy(&tree->root.shelf_lock);
	pthread_mutex_destroy(&tree->lock);
}

/* Whether a node is what its name means now. */
static bool is_current(const struct node *node, const char *entry,
		       const struct shown *shown)
{
	const struct stat *a = &node->stat, *b = &shown->stat;

	if (node->item || shown->item)
		return node->item == shown->item &&
		       node->version == shown->version;
	if (strcmp(node->entry, entry) != 0 ||
	    node->is_archive != (shown->as == SHOWN_DECODED) ||
	    node->is_tar != (shown->as == SHOWN_ENTERED))
		return false;
	if (node->is_archive || node->is_tar)
		return naming_is_same(a, b);
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino &&
	       (a->st_mode & S_IFMT) == (b->st_mode & S_IFMT);
}

/* The node of a name if it is current, with one more lookup; or NULL. */
static struct node *find_current(struct tree *tree, struct node *dir,
				 const char *entry, const struct shown *shown)
{
	struct node *node = find_node(tree, dir, entry, shown->name_nbytes);

	if (!node || !is_current(node, entry, shown))
		return NULL;
	node->nlookups++;
	return node;
}

static struct node *new_node(struct node *dir, const char *entry,
			     const struct shown *shown)
{
	struct node *node = calloc(1, sizeof(*node));

	if (!node)
		return NULL;
	node->entry = strdup(entry);
	if (!node->entry) {
		free(node);
		return NULL;
	}
	node->parent = dir;
	node->name_nbytes = shown->name_nbytes;
	node->depth = dir->depth + 1;
	node->is_archive = shown->as == SHOWN_DECODED;
	node->is_tar = shown->as == SHOWN_ENTERED;
	node->item = shown->item;
	node->version = shown->version;
	node->stat = shown->stat;
	node->nlookups = 1;
	pthread_mutex_init(&node->shelf_lock, NULL);
	archive_init(&node->archive);
	if (!node->is_archive || !node->item ||
	    archive_set_item(&node->archive, node->item, node->version))
		return node;
	free(node->entry);
	free(node);
	return NULL;
}

/* Puts a new node in its place, unless another thread was faster. */
static struct node *settle(struct tree *tree, struct node *node,
			   const struct shown *shown)
{
	struct node *current, *stale;

	pthread_mutex_lock(&tree->lock);
	current = find_current(tree, node->parent, node->entry, shown);
	if (!current) {
		stale = find_node(tree, node->parent, node->entry,
				  node->name_nbytes);
		if (stale)
			unlist(tree, stale);
		add_node(tree, node);
	}
	pthread_mutex_unlock(&tree->lock);
	if (!current)
		return node;
	free_node(tree, node);
	return current;
}

static int enter_new(struct tree *tree, struct node *dir, int dir_fd,
		     const char *entry, const struct shown *shown,
		     struct node **node_ret)
{
	struct node *node;
	int status = 0;

	if (dir->depth >= TREE_DEPTH_MAX)
		return ENAMETOOLONG;
	node = new_node(dir, entry, shown);
	if (!node)
		return ENOMEM;
	if (node->item)
		node->original_nbytes = (uint64_t)shown->stat.st_size;
	else if (node->is_archive)
		status = tree_read_size(node, dir_fd);
	if (status == 0)
		*node_ret = settle(tree, node, shown);
	else
		free_node(tree, node);
	return status;
}

int tree_enter(struct tree *tree, struct node *dir, int dir_fd,
	       const char *entry, const struct shown *shown,
	       struct found *found_ret)
{
	struct node *node;
	int status = 0;

	pthread_mutex_lock(&tree->lock);
	node = find_current(tree, dir, entry, shown);
	pthread_mutex_unlock(&tree->lock);
	if (!node)
		status = enter_new(tree, dir, dir_fd, entry, shown, &node);
	if (status != 0)
		return status;
	found_ret->node = node;
	tree_show_stat(node, &shown->stat, &found_ret->stat);
	return 0;
}

/* If a name is known to be an archive or a tar, its status. */
static bool get_known(struct tree *tree, const struct node *dir,
		      const char *name, struct stat *stat_ret)
{
	const struct node *node;
	bool found;

	pthread_mutex_lock(&tree->lock);
	node = find_node(tree, dir, name, strlen(name));
	found = node && (node->is_archive || node->is_tar) && !node->item;
	if (found)
		*stat_ret = node->stat;
	pthread_mutex_unlock(&tree->lock);
	return found;
}

int tree_lookup(struct tree *tree, struct node *dir, const char *name,
		struct found *found_ret)
{
	char entry[NAME_MAX + 1];
	struct item *directory;
	struct shown shown;
	struct stat known;
	bool is_known = get_known(tree, dir, name, &known);
	int fd, status = tree_enter_items(tree, dir, &directory);

	if (status == 0 && directory) {
		status = tree_show_item(directory, name, &shown);
		return status == 0 ? tree_enter(tree, dir, -1, name, &shown,
						found_ret) :
				     status;
	}
	if (status == 0)
		status = tree_open_dir(tree, dir, O_PATH, &fd);
	if (status != 0)
		return status;
	status = naming_find(&tree->naming, fd, name, is_known ? &known : NULL,
			     entry, &shown);
	if (status == 0)
		status = tree_enter(tree, dir, fd, entry, &shown, found_ret);
	close(fd);
	return status;
}

void tree_forget(struct tree *tree, struct node *node, uint64_t nlookups)
{
	struct node *unused = NULL, *parent;

	pthread_mutex_lock(&tree->lock);
	node->nlookups -= nlookups;
	while (node->nlookups == 0 && node->nchildren == 0) {
		parent = node->parent;
		take_out(tree, node);
		node->next = unused;
		unused = node;
		node = parent;
	}
	pthread_mutex_unlock(&tree->lock);
	for (; unused; unused = node) {
		node = unused->next;
		free_node(tree, unused);
	}
}
