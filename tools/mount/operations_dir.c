/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "mount/operations_inside.h"

#include <errno.h>

#include "mount/listing.h"
#include "mount/shelf.h"

static struct listing *listing_of(const struct fuse_file_info *info)
{
	return (struct listing *)(uintptr_t)info->fh;
}

void operation_open_dir(fuse_req_t request, fuse_ino_t number,
			struct fuse_file_info *info)
{
	struct tree *tree = tree_of(request);
	struct listing *listing;
	int status = listing_open(tree, node_of(tree, number), &listing);

	if (status != 0) {
		fuse_reply_err(request, status);
		return;
	}
	info->fh = (uint64_t)(uintptr_t)listing;
	if (fuse_reply_open(request, info) == -ENOENT)
		listing_close(listing);
}

void operation_release_dir(fuse_req_t request, fuse_ino_t unused,
			   struct fuse_file_info *info)
{
	(void)unused;
	listing_close(listing_of(info));
	fuse_reply_err(request, 0);
}

/* A page of a listing, as it is filled. */
struct page {
	fuse_req_t request;
	struct node *dir;
	struct listing *listing;
	bool has_status; /* with each name */
	char *data;
	size_t nbytes, used;
};

/* With each name goes a lookup of it, if that is possible. */
static size_t put_with_status(const struct page *page,
			      const struct listed *listed)
{
	struct tree *tree = tree_of(page->request);
	struct fuse_entry_param entry = { .attr = listed->shown.stat };
	struct found found = { 0 };

	if (listed->shown.as == SHOWN_ENTERED)
		shelf_stat_directory(&listed->shown.stat, &entry.attr);
	/* An item is not looked at before somebody asks for it. */
	if (listed->has_node && listing_fd(page->listing) >= 0 &&
	    tree_enter(tree, page->dir, listing_fd(page->listing),
		       listed->entry, &listed->shown, &found) == 0)
		entry = entry_of(&found);
	return fuse_add_direntry_plus(page->request, page->data + page->used,
				      page->nbytes - page->used, listed->name,
				      &entry, listed->next);
}

static size_t put_entry(const struct page *page, const struct listed *listed)
{
	size_t nbytes = page->has_status ?
				fuse_add_direntry_plus(page->request, NULL, 0,
						       listed->name, NULL, 0) :
				fuse_add_direntry(page->request, NULL, 0,
						  listed->name, NULL, 0);

	struct stat stat;

	if (nbytes > page->nbytes - page->used)
		return 0;
	if (page->has_status)
		return put_with_status(page, listed);
	stat = listed->shown.stat;
	if (listed->shown.as == SHOWN_ENTERED)
		shelf_stat_directory(&listed->shown.stat, &stat);
	return fuse_add_direntry(page->request, page->data + page->used,
				 page->nbytes - page->used, listed->name, &stat,
				 listed->next);
}

/* An error counts once nothing is left to tell. */
static int fill_page(struct page *page)
{
	struct listed listed;
	size_t nbytes;
	int status;

	while ((status = listing_peek(page->listing, &listed)) == 0) {
		nbytes = put_entry(page, &listed);
		if (nbytes == 0)
			return 0;
		page->used += nbytes;
		listing_move(page->listing);
	}
	return status > 0 && page->used == 0 ? status : 0;
}

static void list(struct page *page, off_t offset)
{
	int status = ENOMEM;

	page->data = operations_buffer(page->nbytes);
	if (page->data) {
		listing_seek(page->listing, (long)offset);
		status = fill_page(page);
	}
	if (status == 0)
		fuse_reply_buf(page->request, page->data, page->used);
	else
		fuse_reply_err(page->request, status);
}

void operation_read_dir(fuse_req_t request, fuse_ino_t number, size_t nbytes,
			off_t offset, struct fuse_file_info *info)
{
	struct page page = {
		.request = request,
		.dir = node_of(tree_of(request), number),
		.listing = listing_of(info),
		.nbytes = nbytes,
	};

	list(&page, offset);
}

void operation_read_dir_with_status(fuse_req_t request, fuse_ino_t number,
				    size_t nbytes, off_t offset,
				    struct fuse_file_info *info)
{
	struct page page = {
		.request = request,
		.dir = node_of(tree_of(request), number),
		.listing = listing_of(info),
		.has_status = true,
		.nbytes = nbytes,
	};

	list(&page, offset);
}
