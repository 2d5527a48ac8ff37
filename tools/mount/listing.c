/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "mount/listing.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mount/shelf.h"

struct listing {
	const struct tree *tree;
	const struct item *directory; /* of items; NULL: a directory */
	DIR *dir;
	struct dirent *entry; /* that was read and not moved past */
	long offset;          /* where it is */
};

static int open_items(const struct item *directory,
		      struct listing **listing_ret)
{
	struct listing *listing = calloc(1, sizeof(*listing));

	if (!listing)
		return ENOMEM;
	listing->directory = directory;
	*listing_ret = listing;
	return 0;
}

int listing_open(struct tree *tree, struct node *dir,
		 struct listing **listing_ret)
{
	struct listing *listing;
	struct item *directory;
	int fd, status = tree_enter_items(tree, dir, &directory);

	if (status == 0 && directory)
		return open_items(directory, listing_ret);
	if (status == 0)
		status = tree_open_dir(tree, dir, O_RDONLY, &fd);
	if (status != 0)
		return status;
	listing = calloc(1, sizeof(*listing));
	if (listing) {
		listing->tree = tree;
		listing->dir = fdopendir(fd);
		if (listing->dir) {
			*listing_ret = listing;
			return 0;
		}
	}
	free(listing);
	close(fd);
	return ENOMEM;
}

void listing_close(struct listing *listing)
{
	if (!listing)
		return;
	if (listing->dir)
		closedir(listing->dir);
	free(listing);
}

int listing_fd(const struct listing *listing)
{
	return listing->dir ? dirfd(listing->dir) : -1;
}

void listing_seek(struct listing *listing, long offset)
{
	if (offset == listing->offset)
		return;
	if (listing->dir)
		seekdir(listing->dir, offset);
	listing->offset = offset;
	listing->entry = NULL;
}

void listing_move(struct listing *listing)
{
	if (listing->directory)
		listing->offset++;
	else if (listing->entry)
		listing->offset = telldir(listing->dir);
	listing->entry = NULL;
}

static bool is_link_back(const char *name)
{
	return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

static struct shown shown_by_name(const struct dirent *entry, mode_t mode)
{
	struct shown shown = { .as = SHOWN_AS_IS };

	shown.name_nbytes = strlen(entry->d_name);
	shown.stat.st_ino = entry->d_ino;
	shown.stat.st_mode = mode;
	return shown;
}

/*
 * How the entry at hand is shown.  One that cannot be looked at, in a directory
 * that may not be entered or on a disk that fails, is listed as well.
 */
static int show(const struct listing *listing, struct listed *listed_ret)
{
	const struct dirent *entry = listing->entry;
	struct shown *shown = &listed_ret->shown;
	bool is_back = is_link_back(entry->d_name);
	int status = 0;

	listed_ret->entry = entry->d_name;
	if (is_back)
		*shown = shown_by_name(entry, S_IFDIR);
	else
		status = naming_show(&listing->tree->naming,
				     listing_fd(listing), entry->d_name, NULL,
				     shown);
	if (status == ENOENT || status == ENOMEM)
		return status;
	if (status != 0)
		*shown = shown_by_name(entry, (mode_t)DTTOIF(entry->d_type));
	listed_ret->has_node = !is_back && status == 0;
	memcpy(listed_ret->name, entry->d_name, shown->name_nbytes);
	listed_ret->name[shown->name_nbytes] = '\0';
	listed_ret->next = telldir(listing->dir);
	return 0;
}

/* Items have the offsets from 2 on, after "." and "..". */
static int peek_item(const struct listing *listing, struct listed *listed_ret)
{
	static const char *const back[] = { ".", ".." };
	const struct item *directory = listing->directory, *item = directory;
	size_t i = (size_t)listing->offset;

	if (i >= 2 + directory->nchildren)
		return -1;
	if (i >= 2)
		item = directory->children[i - 2];
	listed_ret->entry = i < 2 ? back[i] : item->name;
	listed_ret->has_node = i >= 2;
	listed_ret->shown = (struct shown){ .as = SHOWN_AS_IS };
	listed_ret->shown.name_nbytes = strlen(listed_ret->entry);
	item_stat(item, 0, &listed_ret->shown.stat);
	strcpy(listed_ret->name, listed_ret->entry);
	listed_ret->next = listing->offset + 1;
	return 0;
}

int listing_peek(struct listing *listing, struct listed *listed_ret)
{
	int status;

	if (listing->directory)
		return peek_item(listing, listed_ret);
	for (;; listing_move(listing)) {
		errno = 0;
		if (!listing->entry)
			listing->entry = readdir(listing->dir);
		if (!listing->entry)
			return errno != 0 ? errno : -1;
		status = show(listing, listed_ret);
		/* It may be gone by now. */
		if (status != 0 && status != ENOENT)
			return status;
		if (status == 0 && listed_ret->shown.as != SHOWN_NOT)
			return 0;
	}
}
