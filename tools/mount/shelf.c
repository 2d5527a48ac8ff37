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
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mount/log.h"
#include "mount/tree.h"

/* Names that got a number may be taken, too; but not forever. */
#define RENAMINGS_MAX 100

/* A file, and where it is shown. */
struct placed {
	char *path; /* components between single slashes */
	enum item_kind kind;
	char *url;
	size_t number;
	size_t order; /* in which it was added */
};

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

static void release_placed(struct shelf *shelf)
{
	for (size_t i = 0; i < shelf->nplaced; i++) {
		free(shelf->placed[i].path);
		free(shelf->placed[i].url);
	}
	free(shelf->placed);
	shelf->placed = NULL;
	shelf->nplaced = shelf->capacity = 0;
}

void shelf_free(struct shelf *shelf)
{
	if (!shelf)
		return;
	release_placed(shelf);
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
static int add(struct shelf *shelf, const char *path, enum item_kind kind,
	       char *url, size_t number)
{
	char *clean = clean_path(path);
	int status = clean ? 0 : errno;

	if (status == 0 && shelf->nplaced == shelf->capacity) {
		size_t capacity = 2 * shelf->capacity + 16;
		void *grown = realloc(shelf->placed,
				      capacity * sizeof(*shelf->placed));

		status = grown ? 0 : ENOMEM;
		if (grown) {
			shelf->placed = grown;
			shelf->capacity = capacity;
		}
	}
	if (status != 0) {
		free(clean);
		free(url);
		return status;
	}
	shelf->placed[shelf->nplaced] = (struct placed){
		.path = clean,
		.kind = kind,
		.url = url,
		.number = number,
		.order = shelf->nplaced,
	};
	shelf->nplaced++;
	return 0;
}

int shelf_add_member(struct shelf *shelf, const char *path, size_t number)
{
	return add(shelf, path, ITEM_PLAIN, NULL, number);
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

static bool ends_with(const char *name, const char *suffix)
{
	size_t n = strlen(name), m = strlen(suffix);

	return n > m && strcmp(name + n - m, suffix) == 0;
}

int shelf_add_url(struct shelf *shelf, const char *url, const char *path)
{
	char *last = last_part(url), *copy = strdup(url);
	int status = ENOMEM;

	if (last && copy)
		status = add(shelf, path ? path : last,
			     ends_with(last, ".tar") ? ITEM_TAR : ITEM_PLAIN,
			     copy, 0);
	else
		free(copy);
	free(last);
	return status;
}

/*
 * By components: a slash comes before all other characters, so that what is in
 * a directory follows it.
 */
static int compare_paths(const char *a, const char *b)
{
	int x, y;

	while (*a && *a == *b) {
		a++;
		b++;
	}
	x = *a == '/' ? 1 : *a == '\0' ? 0 : (unsigned char)*a + 1;
	y = *b == '/' ? 1 : *b == '\0' ? 0 : (unsigned char)*b + 1;
	return x - y;
}

static int by_path(const void *a, const void *b)
{
	return compare_paths(((const struct placed *)a)->path,
			     ((const struct placed *)b)->path);
}

static int by_path_and_order(const void *a, const void *b)
{
	const struct placed *p = a, *q = b;
	int order = compare_paths(p->path, q->path);

	return order != 0 ? order :
			    (p->order > q->order) - (p->order < q->order);
}

static void sort(struct shelf *shelf)
{
	if (shelf->nplaced > 0)
		qsort(shelf->placed, shelf->nplaced, sizeof(*shelf->placed),
		      by_path_and_order);
}

/* Archives lose their suffix where the name without it is free. */
static void name_archives(struct shelf *shelf)
{
	const struct naming *naming = &shelf->naming;
	size_t n = strlen(naming->suffix);

	sort(shelf);
	for (size_t i = 0; i < shelf->nplaced; i++) {
		struct placed *p = &shelf->placed[i];
		struct placed shown = { .path = NULL };
		const char *slash = strrchr(p->path, '/');

		if (p->kind != ITEM_PLAIN ||
		    !ends_with(slash ? slash + 1 : p->path, naming->suffix))
			continue;
		shown.path = strndup(p->path, strlen(p->path) - n);
		if (shown.path &&
		    (naming->archives_only ||
		     !bsearch(&shown, shelf->placed, shelf->nplaced, sizeof(*p),
			      by_path)))
			p->kind = ITEM_ARCHIVE;
		free(shown.path);
	}
	for (size_t i = 0; i < shelf->nplaced; i++)
		if (shelf->placed[i].kind == ITEM_ARCHIVE)
			shelf->placed[i]
				.path[strlen(shelf->placed[i].path) - n] = '\0';
}

static void hide_plain(struct shelf *shelf)
{
	size_t n = 0;

	for (size_t i = 0; i < shelf->nplaced; i++) {
		struct placed *p = &shelf->placed[i];

		if (p->kind == ITEM_PLAIN) {
			free(p->path);
			free(p->url);
		} else {
			shelf->placed[n++] = *p;
		}
	}
	shelf->nplaced = n;
}

/* "a/x.nc" as "a/x~2.nc"; false if out of memory. */
static bool renumber(struct shelf *shelf, struct placed *p, unsigned number)
{
	const char *slash = strrchr(p->path, '/');
	const char *name = slash ? slash + 1 : p->path;
	const char *dot = strrchr(name, '.');
	char *path, text[1024];

	if (!dot || dot == name)
		dot = name + strlen(name);
	if (asprintf(&path, "%.*s~%u%s", (int)(dot - p->path), p->path, number,
		     dot) < 0)
		return false;
	nc3z_url_text(p->url ? p->url : shelf->name, text, sizeof(text));
	log_file(text, "is shown as %s, as its name is taken", path);
	free(p->path);
	p->path = path;
	return true;
}

/* Whether something else is in a directory by this name. */
static bool is_directory(const struct shelf *shelf, size_t i)
{
	const char *path = shelf->placed[i].path;
	size_t n = strlen(path);

	return i + 1 < shelf->nplaced &&
	       strncmp(path, shelf->placed[i + 1].path, n) == 0 &&
	       shelf->placed[i + 1].path[n] == '/';
}

/*
 * The first of several keeps its name, and so does a directory.  How many got
 * another one; -1 if out of memory.
 */
static int rename_taken(struct shelf *shelf)
{
	const char *taken = NULL;
	unsigned number = 1;
	int nrenamed = 0;

	sort(shelf);
	for (size_t i = 0; i < shelf->nplaced; i++) {
		struct placed *p = &shelf->placed[i];

		if (!taken || strcmp(p->path, taken) != 0)
			number = 1;
		if (number == 1 && !is_directory(shelf, i)) {
			taken = p->path;
			number = 2;
			continue;
		}
		if (!renumber(shelf, p, number == 1 ? 2 : number++))
			return -1;
		nrenamed++;
	}
	return nrenamed;
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
	bool is_made = true;
	int nrenamed = 1;

	name_archives(shelf);
	if (shelf->naming.archives_only)
		hide_plain(shelf);
	for (int i = 0; i < RENAMINGS_MAX && nrenamed > 0; i++)
		nrenamed = rename_taken(shelf);
	for (size_t i = 0; is_made && i < shelf->nplaced; i++)
		is_made = nrenamed == 0 && make_item(shelf, &shelf->placed[i]);
	release_placed(shelf);
	return is_made ? 0 : ENOMEM;
}
