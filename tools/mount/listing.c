#define _GNU_SOURCE
#include "mount/listing.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct listing {
	const struct tree *tree;
	DIR *dir;
	struct dirent *entry; /* that was read and not moved past */
	long offset;          /* where it is */
};

int listing_open(struct tree *tree, const struct node *dir,
		 struct listing **listing_ret)
{
	struct listing *listing;
	int fd, status = tree_open_dir(tree, dir, O_RDONLY, &fd);

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
	closedir(listing->dir);
	free(listing);
}

int listing_fd(const struct listing *listing)
{
	return dirfd(listing->dir);
}

void listing_seek(struct listing *listing, long offset)
{
	if (offset == listing->offset)
		return;
	seekdir(listing->dir, offset);
	listing->offset = offset;
	listing->entry = NULL;
}

void listing_move(struct listing *listing)
{
	if (listing->entry)
		listing->offset = telldir(listing->dir);
	listing->entry = NULL;
}

static bool is_link_back(const char *name)
{
	return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

/* How the entry at hand is shown. */
static int show(const struct listing *listing, struct listed *listed_ret)
{
	const struct dirent *entry = listing->entry;
	struct shown *shown = &listed_ret->shown;
	int status = 0;

	listed_ret->entry = entry->d_name;
	listed_ret->is_link_back = is_link_back(entry->d_name);
	if (listed_ret->is_link_back) {
		*shown = (struct shown){ .as = SHOWN_AS_IS };
		shown->name_nbytes = strlen(entry->d_name);
		shown->stat.st_ino = entry->d_ino;
		shown->stat.st_mode = S_IFDIR;
	} else {
		status = naming_show(&listing->tree->naming,
				     listing_fd(listing), entry->d_name, NULL,
				     shown);
	}
	if (status != 0)
		return status;
	memcpy(listed_ret->name, entry->d_name, shown->name_nbytes);
	listed_ret->name[shown->name_nbytes] = '\0';
	listed_ret->next = telldir(listing->dir);
	return 0;
}

int listing_peek(struct listing *listing, struct listed *listed_ret)
{
	int status;

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
