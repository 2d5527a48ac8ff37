/* SPDX-License-Identifier: MIT */
/*
 * Making a shelf from names.
 *
 * Files are collected with their paths, sorted so that those of a directory lie
 * together, and made into items in that order.
 */
#define _GNU_SOURCE
#include "mount/shelf.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/suffix.h"
#include "nc3z_tools.h"

static void init_item(struct item *item, enum item_kind kind,
		      struct shelf *shelf)
{
	*item = (struct item){ .kind = kind, .shelf = shelf };
	pthread_mutex_init(&item->lock, NULL);
}

/* Directories are no deeper than the tree shows. */
static void release_item(struct item *item)
{
	for (size_t i = 0; i < item->nchildren; i++) {
		release_item(item->children[i]);
		free(item->children[i]);
	}
	free((void *)item->children);
	free(item->name);
	free(item->url);
	shelf_free(item->inner);
	pthread_mutex_destroy(&item->lock);
}

struct shelf *shelf_new(const struct naming *naming, const struct stat *stat,
			const char *name)
{
	struct shelf *shelf = calloc(1, sizeof(*shelf));

	if (!shelf)
		return NULL;
	init_item(&shelf->root, ITEM_DIRECTORY, shelf);
	shelf->naming = *naming;
	shelf->stat = *stat;
	shelf->fd = -1;
	shelf->name = strdup(name);
	if (shelf->name)
		return shelf;
	shelf_free(shelf);
	return NULL;
}

void shelf_free(struct shelf *shelf)
{
	if (!shelf)
		return;
	placed_release(&shelf->placed);
	release_item(&shelf->root);
	nc3z_tar_close(shelf->tar);
	if (shelf->fd >= 0)
		close(shelf->fd);
	free(shelf->name);
	free(shelf);
}

/*
 * The components of a path between single slashes; NULL with errno: ENOMEM, or
 * EINVAL if it has none, too many, or one that no file can have.
 */
static char *clean_path(const char *path)
{
	char *clean = malloc(strlen(path) + 1), *to = clean;
	size_t depth = 0, n;

	errno = clean ? EINVAL : ENOMEM;
	if (!clean)
		return NULL;
	for (; *path; path += n) {
		n = strspn(path, "/");
		path += n;
		n = strcspn(path, "/");
		if (n == 0)
			break;
		if (n > NAME_MAX || ++depth >= TREE_DEPTH_MAX ||
		    (path[0] == '.' && n <= 2 && path[n - 1] == '.')) {
			depth = 0;
			break;
		}
		if (to > clean)
			*to++ = '/';
		memcpy(to, path, n);
		to += n;
	}
	*to = '\0';
	if (depth > 0)
		return clean;
	free(clean);
	return NULL;
}

/* Takes over the URL. */
static int add_item(struct shelf *shelf, const char *path, enum item_kind kind,
		    char *url, size_t number)
{
	struct placed placed = {
		.path = clean_path(path),
		.kind = kind,
		.url = url,
		.number = number,
	};
	int status = placed.path ? 0 : errno;

	if (status == 0)
		return placed_add(&shelf->placed, &placed);
	free(url);
	return status;
}

int shelf_add_member(struct shelf *shelf, const char *path, size_t number)
{
	return add_item(shelf, path, ITEM_PLAIN, NULL, number);
}

/* The last part of a URL's path, as it may be a file's name; to be freed. */
static char *last_part(const char *url)
{
	size_t end = url[0] == 's' ? strlen(url) : strcspn(url, "?#");
	char *member, *tar = nc3z_tar_split(url, &member), *name;
	const char *slash;

	free(tar);
	/* Of a member, escapes are gone. */
	name = member ? strdup(member) : strndup(url, end);
	free(member);
	if (!name)
		return NULL;
	slash = strrchr(name, '/');
	if (slash)
		memmove(name, slash + 1, strlen(slash + 1) + 1);
	return name;
}

int shelf_add_url(struct shelf *shelf, const char *url, const char *path)
{
	char *last = last_part(url), *copy = strdup(url);
	int status = ENOMEM;

	if (last && copy)
		status = add_item(shelf, path ? path : last,
				  file_has_suffix(last, ".tar") ? ITEM_TAR :
								  ITEM_PLAIN,
				  copy, 0);
	else
		free(copy);
	free(last);
	return status;
}

/* Takes over the name. */
static struct item *add_child(struct item *directory, enum item_kind kind,
			      char *name)
{
	struct item *item = name ? malloc(sizeof(*item)) : NULL;
	void *grown;

	if (item && directory->nchildren == directory->capacity) {
		directory->capacity = 2 * directory->capacity + 8;
		grown = realloc((void *)directory->children,
				directory->capacity * sizeof(struct item *));
		if (grown) {
			directory->children = grown;
		} else {
			free(item);
			item = NULL;
		}
	}
	if (!item) {
		free(name);
		return NULL;
	}
	init_item(item, kind, directory->shelf);
	item->name = name;
	directory->children[directory->nchildren++] = item;
	return item;
}

/* The last child, if it is called so; otherwise a new one. */
static struct item *last_child(struct item *directory, const char *name,
			       size_t name_nbytes)
{
	struct item *last =
		directory->nchildren > 0 ?
			directory->children[directory->nchildren - 1] :
			NULL;

	if (last && strncmp(last->name, name, name_nbytes) == 0 &&
	    last->name[name_nbytes] == '\0')
		return last;
	return add_child(directory, ITEM_DIRECTORY, strndup(name, name_nbytes));
}

/* Takes over what the item needs. */
static bool make_item(struct shelf *shelf, struct placed *p)
{
	struct item *at = &shelf->root;
	const char *name = p->path;

	for (size_t n; at && name[n = strcspn(name, "/")]; name += n + 1)
		at = last_child(at, name, n);
	if (at)
		at = add_child(at, p->kind, strdup(name));
	if (!at)
		return false;
	at->url = p->url;
	at->number = p->number;
	p->url = NULL;
	return true;
}

int shelf_finish(struct shelf *shelf)
{
	struct placed_list *placed = &shelf->placed;
	bool is_made = placed_settle_names(placed, &shelf->naming, shelf->name);

	for (size_t i = 0; is_made && i < placed->count; i++)
		is_made = make_item(shelf, &placed->list[i]);
	placed_release(placed);
	return is_made ? 0 : ENOMEM;
}
