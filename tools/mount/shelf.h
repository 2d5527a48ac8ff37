/* SPDX-License-Identifier: MIT */
/*
 * What is shown without being in a directory of this machine: objects on
 * servers, and the members of tars.
 *
 * A shelf is a tree of items, made from names alone and then unchanged.  What
 * an item has inside is looked at when somebody asks for it.
 */
#ifndef NC3Z_TOOLS_MOUNT_SHELF_H
#define NC3Z_TOOLS_MOUNT_SHELF_H

#include <pthread.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <time.h>

#include "mount/shelf_names.h"
#include "nc3z_tools.h"

/* What was found out of a file when it was looked at. */
struct item_facts {
	uint64_t nbytes;          /* as it is shown */
	unsigned char sha256[32]; /* of the original of an archive */
};

struct item {
	enum item_kind kind;
	char *name; /* as it is shown */
	struct shelf *shelf;
	struct item **children; /* of a directory, by name */
	size_t nchildren, capacity;
	char *url;     /* NULL: a member of the shelf's tar */
	size_t number; /* of the member */
	pthread_mutex_t lock;
	/* Under the lock: */
	bool is_known;
	struct item_facts facts;
	unsigned version;    /* how often it turned out to be another one */
	struct shelf *inner; /* of ITEM_TAR, NULL until it is opened */
	time_t failed;       /* when it could not be looked at; 0: it could */
	int failure;         /* the errno */
};

struct shelf {
	struct item root;
	struct placed_list placed; /* until it is finished */
	struct naming naming;
	char *name;       /* for messages: a tar's; "" for URLs */
	struct stat stat; /* what items have of owner, permissions and times */
	struct nc3z_tar *tar;
	int fd; /* of a tar that is a file; -1 */
};

/* An empty one with the status of a directory; NULL if out of memory. */
struct shelf *shelf_new(const struct naming *naming, const struct stat *stat,
			const char *name);

/* NULL is allowed. */
void shelf_free(struct shelf *shelf);

/*
 * Adds an object.  'path' is where, directories and name; NULL: by the last
 * part of the URL.  0, ENOMEM, or EINVAL if there is no name that a file can
 * have.
 */
int shelf_add_url(struct shelf *shelf, const char *url, const char *path);

/* Adds a member of the tar that the shelf has. */
int shelf_add_member(struct shelf *shelf, const char *path, size_t number);

/*
 * After all have been added: makes the items, with names as they are shown.
 * Where a name is taken the file gets a number, and a message says so.  0 or
 * ENOMEM.
 */
int shelf_finish(struct shelf *shelf);

/*
 * A shelf of the members of a tar.  The source is taken over, and so is 'fd',
 * -1 if there is none, both also if this fails.  0, or an errno after a
 * message.
 */
int shelf_open_tar(const struct naming *naming, const struct stat *stat,
		   const char *name, struct nc3z_source *source, int fd,
		   struct shelf **shelf_ret);

/* The child of a directory; NULL: none. */
struct item *item_find(const struct item *directory, const char *name);

/* Sets the directory that an item is; an errno after a message. */
int item_enter(struct item *item, struct item **directory_ret);

/* Opens what an item has inside, as it is stored. */
int item_open_source(const struct item *item, struct nc3z_source **source_ret,
		     struct nc3z_error *err);

/*
 * Looks at a file once.  0, or an errno after a message: after a failure it is
 * tried again some seconds later.
 */
int item_look(struct item *item, struct item_facts *facts_ret,
	      unsigned *version_ret);

/*
 * Compares what has been opened with what a version of the item is; if it is
 * something else, NC3Z_ECHANGED, and the item is looked at again.
 */
int item_check(struct item *item, const struct item_facts *facts,
	       unsigned version, struct nc3z_error *err);

/* Whether the tar that an item is in is a file that has been written to. */
bool item_has_changed(const struct item *item);

/* Whether reading it takes requests to a server. */
static inline bool item_is_far(const struct item *item)
{
	return item->url || item->shelf->fd < 0;
}

/* Whether it can be listed. */
static inline bool item_is_directory(const struct item *item)
{
	return item->kind == ITEM_DIRECTORY || item->kind == ITEM_TAR;
}

/* The status of an item of so many bytes. */
void item_stat(const struct item *item, uint64_t nbytes, struct stat *stat_ret);

/* The status of a file as that of a directory. */
void shelf_stat_directory(const struct stat *stat, struct stat *stat_ret);

/* The name of an item for messages, cut if need be. */
void item_text(const struct item *item, char *text, size_t text_nbytes);

#endif
