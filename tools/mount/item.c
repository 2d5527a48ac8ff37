/* SPDX-License-Identifier: MIT */
/* What is in the items of a shelf: looked at when somebody asks. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mount/log.h"
#include "mount/shelf.h"
#include "nc3z_tools.h"

/* So long a failure is believed without another try. */
#define FAILURE_SECONDS 5

#define ALL_MAY_READ (S_IRUSR | S_IRGRP | S_IROTH)

static time_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + 1; /* never 0 */
}

struct item *item_find(const struct item *directory, const char *name)
{
	size_t low = 0, high = directory->nchildren;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int order = strcmp(name, directory->children[middle]->name);

		if (order == 0)
			return directory->children[middle];
		if (order < 0)
			high = middle;
		else
			low = middle + 1;
	}
	return NULL;
}

void item_text(const struct item *item, char *text, size_t text_nbytes)
{
	struct nc3z_tar_member member = { .name = item->name };

	if (item->url) {
		nc3z_url_text(item->url, text, text_nbytes);
		return;
	}
	if (item->kind != ITEM_DIRECTORY)
		nc3z_tar_inq_member(item->shelf->tar, item->number, &member,
				    NULL);
	snprintf(text, text_nbytes, "%s//%s", item->shelf->name,
		 member.name ? member.name : "");
}

static int errno_of(const struct nc3z_error *err)
{
	return err->status == NC3Z_ENOMEM ? ENOMEM : EIO;
}

/* Nobody can tell by the errno which of many files on which server it is. */
static int fail_item(const struct item *item, const struct nc3z_error *err)
{
	char text[1024];

	item_text(item, text, sizeof(text));
	log_file(text, "%s", err->text);
	return errno_of(err);
}

int item_open_source(const struct item *item, struct nc3z_source **source_ret,
		     struct nc3z_error *err)
{
	return item->url ?
		       nc3z_source_open_name(item->url, 0, source_ret, err) :
		       nc3z_tar_open_member(item->shelf->tar, item->number, 0,
					    source_ret, err);
}

/* What is wrong with the tar, so that members may be missing. */
static void log_damages(struct shelf *shelf)
{
	struct nc3z_error err = { 0 };

	for (size_t i = 0; nc3z_tar_inq_damage(shelf->tar, i, &err) != NC3Z_OK;
	     i++)
		log_file(shelf->name, "%s", err.text);
}

static int add_members(struct shelf *shelf)
{
	struct nc3z_tar_member member;
	int status = 0;

	log_damages(shelf);
	for (size_t i = 0; i < nc3z_tar_nmembers(shelf->tar); i++) {
		nc3z_tar_inq_member(shelf->tar, i, &member, NULL);
		if (member.left_out) {
			log_file(shelf->name, "%s is not shown: it %s",
				 member.name, member.left_out);
			continue;
		}
		status = shelf_add_member(shelf, member.name, i);
		if (status == ENOMEM)
			return status;
		if (status != 0)
			log_file(
				shelf->name,
				"%s is not shown: a file cannot have this name",
				member.name);
	}
	return shelf_finish(shelf);
}

int shelf_open_tar(const struct naming *naming, const struct stat *stat,
		   const char *name, struct nc3z_source *source, int fd,
		   struct shelf **shelf_ret)
{
	struct shelf *shelf = shelf_new(naming, stat, name);
	struct nc3z_error err = { 0 };
	int status = shelf ? 0 : ENOMEM;

	if (shelf)
		shelf->fd = fd;
	else if (fd >= 0)
		close(fd);
	if (status == 0 &&
	    nc3z_tar_open(source, &shelf->tar, &err) != NC3Z_OK) {
		log_file(name, "%s", err.text);
		status = errno_of(&err);
	}
	if (!shelf || !shelf->tar)
		nc3z_source_close(source);
	if (status == 0)
		status = add_members(shelf);
	if (status == 0)
		*shelf_ret = shelf;
	else
		shelf_free(shelf);
	return status;
}

static int open_inner(const struct item *item, struct shelf **inner_ret)
{
	struct nc3z_error err = { 0 };
	struct nc3z_source *source;
	char text[1024];

	if (item_open_source(item, &source, &err) != NC3Z_OK)
		return fail_item(item, &err);
	item_text(item, text, sizeof(text));
	return shelf_open_tar(&item->shelf->naming, &item->shelf->stat, text,
			      source, -1, inner_ret);
}

/* With the lock: whether it has failed just now. */
static bool has_failed(const struct item *item)
{
	return item->failed > 0 && now() - item->failed < FAILURE_SECONDS;
}

static int note_status(struct item *item, int status)
{
	item->failed = status != 0 ? now() : 0;
	item->failure = status;
	return status;
}

int item_enter(struct item *item, struct item **directory_ret)
{
	int status = 0;

	*directory_ret = item;
	if (item->kind == ITEM_DIRECTORY)
		return 0;
	pthread_mutex_lock(&item->lock);
	if (!item->inner)
		status = has_failed(item) ?
				 item->failure :
				 note_status(item,
					     open_inner(item, &item->inner));
	if (status == 0)
		*directory_ret = &item->inner->root;
	pthread_mutex_unlock(&item->lock);
	return status;
}

static int look_at_item(const struct item *item, struct item_facts *facts)
{
	struct nc3z_error err = { 0 };
	struct nc3z_summary summary;
	struct nc3z_source *source;
	int status;

	if (item_open_source(item, &source, &err) != NC3Z_OK)
		return fail_item(item, &err);
	*facts = (struct item_facts){ .nbytes = nc3z_source_nbytes(source) };
	status = NC3Z_OK;
	if (item->kind == ITEM_ARCHIVE) {
		status = nc3z_summarize(source, &summary, &err);
		if (status == NC3Z_OK) {
			facts->nbytes = summary.original_nbytes;
			memcpy(facts->sha256, summary.sha256,
			       sizeof(facts->sha256));
		}
	}
	nc3z_source_close(source);
	if (status != NC3Z_OK)
		return fail_item(item, &err);
	return facts->nbytes > INT64_MAX ? EOVERFLOW : 0;
}

int item_look(struct item *item, struct item_facts *facts_ret,
	      unsigned *version_ret)
{
	int status = 0;

	pthread_mutex_lock(&item->lock);
	if (!item->is_known) {
		status = has_failed(item) ?
				 item->failure :
				 note_status(item,
					     look_at_item(item, &item->facts));
		item->is_known = status == 0;
	}
	*facts_ret = item->facts;
	*version_ret = item->version;
	pthread_mutex_unlock(&item->lock);
	return status;
}

static int set_changed(struct nc3z_error *err)
{
	*err = (struct nc3z_error){
		.status = NC3Z_ECHANGED,
		.offset = NC3Z_NO_OFFSET,
		.stream = NC3Z_NO_NUMBER,
		.block = NC3Z_NO_NUMBER,
	};
	snprintf(err->text, sizeof(err->text),
		 "changed since it was looked at");
	return NC3Z_ECHANGED;
}

int item_check(struct item *item, const struct item_facts *facts,
	       unsigned version, struct nc3z_error *err)
{
	bool is_same, is_newest;

	pthread_mutex_lock(&item->lock);
	is_newest = item->version == version;
	is_same = item->is_known && is_newest &&
		  item->facts.nbytes == facts->nbytes &&
		  memcmp(item->facts.sha256, facts->sha256,
			 sizeof(facts->sha256)) == 0;
	if (!is_same && is_newest) {
		item->is_known = false;
		item->version++;
	}
	pthread_mutex_unlock(&item->lock);
	return is_same ? NC3Z_OK : set_changed(err);
}

bool item_has_changed(const struct item *item)
{
	const struct stat *was = &item->shelf->stat;
	struct stat stat;

	/* Other times change with links and permissions, too. */
	return item->shelf->fd >= 0 &&
	       (fstat(item->shelf->fd, &stat) != 0 ||
		stat.st_size != was->st_size ||
		stat.st_mtim.tv_sec != was->st_mtim.tv_sec ||
		stat.st_mtim.tv_nsec != was->st_mtim.tv_nsec);
}

void shelf_stat_directory(const struct stat *stat, struct stat *stat_ret)
{
	mode_t may_read = stat->st_mode & ALL_MAY_READ;

	*stat_ret = *stat;
	stat_ret->st_mode = S_IFDIR | may_read | may_read >> 2;
	stat_ret->st_nlink = 1;
}

void item_stat(const struct item *item, uint64_t nbytes, struct stat *stat_ret)
{
	shelf_stat_directory(&item->shelf->stat, stat_ret);
	stat_ret->st_ino = (ino_t)(uintptr_t)item;
	stat_ret->st_size = (off_t)nbytes;
	stat_ret->st_blocks = (stat_ret->st_size + 511) / 512;
	if (!item_is_directory(item))
		stat_ret->st_mode = S_IFREG |
				    (stat_ret->st_mode & ALL_MAY_READ);
}
