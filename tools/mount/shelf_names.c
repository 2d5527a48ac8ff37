/* SPDX-License-Identifier: MIT */
/* Names without suffix, without two of a kind, without what is not shown. */
#define _GNU_SOURCE
#include "mount/shelf_names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mount/log.h"

/* Names that got a number may be taken, too; but not forever. */
#define RENAMINGS_MAX 100

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
		    !shelf_ends_with(slash ? slash + 1 : p->path,
				     naming->suffix))
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

bool shelf_settle_names(struct shelf *shelf)
{
	int nrenamed = 1;

	name_archives(shelf);
	if (shelf->naming.archives_only)
		hide_plain(shelf);
	for (int i = 0; i < RENAMINGS_MAX && nrenamed > 0; i++)
		nrenamed = rename_taken(shelf);
	return nrenamed == 0;
}
