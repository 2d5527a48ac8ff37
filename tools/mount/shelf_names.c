/* SPDX-License-Identifier: MIT */
/* Names without suffix, without two of a kind, without what is not shown. */
#define _GNU_SOURCE
#include "mount/shelf_names.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/suffix.h"
#include "mount/log.h"
#include "nc3z.h"

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

void placed_release(struct placed_list *placed)
{
	for (size_t i = 0; i < placed->count; i++) {
		free(placed->list[i].path);
		free(placed->list[i].url);
	}
	free(placed->list);
	*placed = (struct placed_list){ 0 };
}

int placed_add(struct placed_list *placed, const struct placed *one)
{
	if (placed->count == placed->capacity) {
		size_t capacity = 2 * placed->capacity + 16;
		void *grown =
			realloc(placed->list, capacity * sizeof(*placed->list));

		if (!grown) {
			free(one->path);
			free(one->url);
			return ENOMEM;
		}
		placed->list = grown;
		placed->capacity = capacity;
	}
	placed->list[placed->count] = *one;
	placed->list[placed->count].order = placed->count;
	placed->count++;
	return 0;
}

static void sort(struct placed_list *placed)
{
	if (placed->count > 0)
		qsort(placed->list, placed->count, sizeof(*placed->list),
		      by_path_and_order);
}

/* Archives lose their suffix where the name without it is free. */
static void name_archives(struct placed_list *placed,
			  const struct naming *naming)
{
	size_t n = strlen(naming->suffix);

	sort(placed);
	for (size_t i = 0; i < placed->count; i++) {
		struct placed *p = &placed->list[i];
		struct placed shown = { .path = NULL };

		if (p->kind != ITEM_PLAIN ||
		    !file_has_suffix(p->path, naming->suffix))
			continue;
		shown.path = strndup(p->path, strlen(p->path) - n);
		if (shown.path && (naming->archives_only ||
				   !bsearch(&shown, placed->list, placed->count,
					    sizeof(*p), by_path)))
			p->kind = ITEM_ARCHIVE;
		free(shown.path);
	}
	for (size_t i = 0; i < placed->count; i++)
		if (placed->list[i].kind == ITEM_ARCHIVE)
			placed->list[i].path[strlen(placed->list[i].path) - n] =
				'\0';
}

static void hide_plain(struct placed_list *placed)
{
	size_t n = 0;

	for (size_t i = 0; i < placed->count; i++) {
		struct placed *p = &placed->list[i];

		if (p->kind == ITEM_PLAIN) {
			free(p->path);
			free(p->url);
		} else {
			placed->list[n++] = *p;
		}
	}
	placed->count = n;
}

/* "a/x.nc" as "a/x~2.nc"; false if out of memory. */
static bool renumber(struct placed *p, unsigned number, const char *tar)
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
	nc3z_url_text(p->url ? p->url : tar, text, sizeof(text));
	log_file(text, "is shown as %s, because its name is taken", path);
	free(p->path);
	p->path = path;
	return true;
}

/* Whether something else is in a directory by this name. */
static bool is_directory(const struct placed_list *placed, size_t i)
{
	const char *path = placed->list[i].path;
	size_t n = strlen(path);

	return i + 1 < placed->count &&
	       strncmp(path, placed->list[i + 1].path, n) == 0 &&
	       placed->list[i + 1].path[n] == '/';
}

/*
 * The first of several keeps its name, and so does a directory.  How many got
 * another one; -1 if out of memory.
 */
static int rename_taken(struct placed_list *placed, const char *tar)
{
	const char *taken = NULL;
	unsigned number = 1;
	int nrenamed = 0;

	sort(placed);
	for (size_t i = 0; i < placed->count; i++) {
		struct placed *p = &placed->list[i];

		if (!taken || strcmp(p->path, taken) != 0)
			number = 1;
		if (number == 1 && !is_directory(placed, i)) {
			taken = p->path;
			number = 2;
			continue;
		}
		if (!renumber(p, number == 1 ? 2 : number++, tar))
			return -1;
		nrenamed++;
	}
	return nrenamed;
}

bool placed_settle_names(struct placed_list *placed,
			 const struct naming *naming, const char *name)
{
	int nrenamed = 1;

	name_archives(placed, naming);
	if (naming->archives_only)
		hide_plain(placed);
	for (int i = 0; i < RENAMINGS_MAX && nrenamed > 0; i++)
		nrenamed = rename_taken(placed, name);
	return nrenamed == 0;
}
