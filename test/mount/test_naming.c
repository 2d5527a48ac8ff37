/* SPDX-License-Identifier: MIT */
/* Which names are shown, and that lookups and listings agree on them. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "mount/listing.h"
#include "stage.h"

#define SHOWN_MAX 64

static int compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* All names of the root, with what they are, in order: "x.nc* " is decoded. */
static void list_root(struct stage *stage, char *text, size_t nbytes)
{
	char *names[SHOWN_MAX];
	size_t n = 0, used = 0;
	struct listing *listing;
	struct listed listed;

	text[0] = '\0';
	REQUIRE(listing_open(&stage->tree, &stage->tree.root, &listing) == 0);
	while (n < SHOWN_MAX && listing_peek(listing, &listed) == 0) {
		if (listed.has_node &&
		    asprintf(&names[n], "%s%s", listed.name,
			     listed.shown.as == SHOWN_DECODED ? "*" : "") >= 0)
			n++;
		listing_move(listing);
	}
	listing_close(listing);
	qsort(names, n, sizeof(*names), compare);
	for (size_t i = 0; i < n; i++) {
		used += (size_t)snprintf(text + used, nbytes - used, "%s%s",
					 i > 0 ? " " : "", names[i]);
		free(names[i]);
	}
}

/* The list, and that each name of it is found, as what it is. */
static void check_shown(struct stage *stage, const char *wanted)
{
	char text[2000], *save = NULL, *name;
	struct found found;

	list_root(stage, text, sizeof(text));
	CHECK_STR_EQ(text, wanted);
	for (name = strtok_r(text, " ", &save); name;
	     name = strtok_r(NULL, " ", &save)) {
		size_t nbytes = strlen(name);
		bool is_decoded = name[nbytes - 1] == '*';

		if (is_decoded)
			name[nbytes - 1] = '\0';
		CHECK(stage_lookup(stage, name, &found) == 0);
		CHECK(found.node->is_archive == is_decoded);
		tree_forget(&stage->tree, found.node, 1);
	}
}

static void check_absent(struct stage *stage, const char *name)
{
	struct found found;

	CHECK_EQ_U64((uint64_t)stage_lookup(stage, name, &found), ENOENT);
}

static void test_names(void)
{
	struct stage stage;

	stage_begin(&stage, NULL);
	stage_archive(&stage, "x.nc.nc3z", 100, 1, NULL);
	stage_archive(&stage, "other.pack", 100, 1, NULL);
	stage_file(&stage, "text", "text");
	stage_file(&stage, "no.nc3z", "no archive");
	stage_file(&stage, ".nc3z", "no name before it");
	stage_dir(&stage, "d.nc3z");
	check_shown(&stage, ".nc3z d.nc3z no.nc3z other.pack text x.nc*");
	check_absent(&stage, "x.nc.nc3z");
	check_absent(&stage, "d");
	check_absent(&stage, "no");
	check_absent(&stage, "absent");
	stage_name(&stage, ".nc3z", true);
	check_shown(&stage, "d.nc3z x.nc*");
	check_absent(&stage, "text");
	stage_name(&stage, ".pack", false);
	check_shown(&stage, ".nc3z d.nc3z no.nc3z other* text x.nc.nc3z");
	stage_end(&stage);
}

static void test_collisions(void)
{
	struct stage stage;

	stage_begin(&stage, NULL);
	stage_archive(&stage, "a.nc3z", 100, 1, NULL);
	stage_file(&stage, "a", "the file");
	stage_archive(&stage, "b.nc3z", 100, 1, NULL);
	stage_dir(&stage, "b");
	/* The first is shown as c, so that its name is free. */
	stage_archive(&stage, "c.nc3z", 100, 1, NULL);
	stage_archive(&stage, "c.nc3z.nc3z", 100, 1, NULL);
	stage_file(&stage, "d", "");
	stage_archive(&stage, "d.nc3z", 100, 1, NULL);
	stage_archive(&stage, "d.nc3z.nc3z", 100, 1, NULL);
	check_shown(&stage, "a a.nc3z b b.nc3z c* c.nc3z* d d.nc3z "
			    "d.nc3z.nc3z");
	stage_name(&stage, ".nc3z", true);
	check_shown(&stage, "a* b c* c.nc3z* d* d.nc3z*");
	stage_end(&stage);
}

static void check_target(struct stage *stage, const char *name,
			 const char *wanted)
{
	struct found found;
	char target[100];

	REQUIRE(stage_lookup(stage, name, &found) == 0);
	CHECK(S_ISLNK(found.stat.st_mode));
	CHECK_EQ_U64((uint64_t)found.stat.st_size, strlen(wanted));
	CHECK(tree_stat(&stage->tree, found.node, &found.stat) == 0);
	CHECK_EQ_U64((uint64_t)found.stat.st_size, strlen(wanted));
	CHECK(tree_read_link(&stage->tree, found.node, target,
			     sizeof(target)) == 0);
	CHECK_STR_EQ(target, wanted);
}

static void test_links(void)
{
	struct stage stage;

	stage_begin(&stage, NULL);
	stage_link(&stage, "last.nc3z", "d/x.nc.nc3z");
	stage_link(&stage, "plain", "../x.nc.nc3z");
	stage_link(&stage, "root.nc3z", "/d/x.nc.nc3z");
	stage_link(&stage, "text.nc3z", "text");
	stage_link(&stage, "taken.nc3z", "x.nc3z");
	stage_file(&stage, "taken", "");
	check_shown(&stage, "last plain root.nc3z taken taken.nc3z text.nc3z");
	check_target(&stage, "last", "d/x.nc");
	check_target(&stage, "plain", "../x.nc");
	check_target(&stage, "root.nc3z", "/d/x.nc.nc3z");
	check_target(&stage, "text.nc3z", "text");
	check_target(&stage, "taken.nc3z", "x");
	stage_name(&stage, ".nc3z", true);
	check_shown(&stage, "last plain root.nc3z taken text.nc3z");
	stage_end(&stage);
}

/* Names of all lengths, and one that cannot bear the suffix. */
static void test_long_names(void)
{
	char name[NAME_MAX + 2];
	struct stage stage;
	struct found found;

	stage_begin(&stage, NULL);
	memset(name, 'n', sizeof(name));
	memcpy(name + NAME_MAX - 5, ".nc3z", 6);
	stage_archive(&stage, "short", 100, 1, NULL);
	stage_rename(&stage, "short", name);
	name[NAME_MAX - 5] = '\0';
	CHECK(stage_lookup(&stage, name, &found) == 0);
	CHECK(found.node->is_archive);
	memset(name, 'n', NAME_MAX);
	name[NAME_MAX - 1] = '\0';
	check_absent(&stage, name);
	memset(name, 'n', NAME_MAX + 1);
	name[NAME_MAX + 1] = '\0';
	CHECK(stage_lookup(&stage, name, &found) == ENAMETOOLONG);
	stage_end(&stage);
}

static void test_odd_names(void)
{
	struct stage stage;
	struct found found;

	stage_begin(&stage, NULL);
	stage_archive(&stage, "new\nline.nc3z", 100, 1, NULL);
	stage_archive(&stage, "\xff\xfe.nc3z", 100, 1, NULL);
	CHECK(stage_lookup(&stage, "new\nline", &found) == 0);
	CHECK(stage_lookup(&stage, "\xff\xfe", &found) == 0);
	CHECK(mkfifoat(stage.tree.root_fd, "pipe.nc3z", 0600) == 0);
	CHECK(stage_lookup(&stage, "pipe.nc3z", &found) == 0);
	stage_end(&stage);
}

/* What cannot be read is shown as it is. */
static void test_unreadable(void)
{
	struct stage stage;
	struct found found;

	stage_begin(&stage, NULL);
	stage_archive(&stage, "x.nc3z", 100, 1, NULL);
	CHECK(fchmodat(stage.tree.root_fd, "x.nc3z", 0, 0) == 0);
	CHECK(fchmod(stage.tree.root_fd, 0755) == 0);
	if (geteuid() == 0)
		CHECK(seteuid(65534) == 0);
	CHECK(stage_lookup(&stage, "x.nc3z", &found) == 0);
	CHECK_EQ_U64(found.stat.st_mode & 0777, 0);
	CHECK(tree_access(&stage.tree, found.node, F_OK) == 0);
	CHECK(tree_access(&stage.tree, found.node, W_OK) == EROFS);
	check_absent(&stage, "x");
	if (getuid() == 0)
		CHECK(seteuid(0) == 0);
	stage_end(&stage);
}

/* A listing goes on from any place that it named. */
static void test_offsets(void)
{
	long offsets[SHOWN_MAX];
	char names[SHOWN_MAX][8];
	struct listing *listing;
	struct listed listed;
	struct stage stage;
	size_t n = 0;

	stage_begin(&stage, NULL);
	for (int i = 0; i < 20; i++) {
		char name[8] = { 'f', (char)('a' + i), 0 };

		stage_file(&stage, name, "");
	}
	REQUIRE(listing_open(&stage.tree, &stage.tree.root, &listing) == 0);
	for (; listing_peek(listing, &listed) == 0; n++) {
		REQUIRE(n < SHOWN_MAX);
		snprintf(names[n], sizeof(names[n]), "%.7s", listed.name);
		offsets[n] = listed.next;
		listing_move(listing);
	}
	CHECK_EQ_U64(n, 22);
	for (size_t i = n; i-- > 1;) {
		listing_seek(listing, offsets[i - 1]);
		REQUIRE(listing_peek(listing, &listed) == 0);
		CHECK_STR_EQ(listed.name, names[i]);
	}
	listing_seek(listing, 0);
	CHECK(listing_peek(listing, &listed) == 0);
	CHECK_STR_EQ(listed.name, names[0]);
	listing_close(listing);
	stage_end(&stage);
}

int main(void)
{
	RUN(test_names);
	RUN(test_collisions);
	RUN(test_links);
	RUN(test_long_names);
	RUN(test_odd_names);
	RUN(test_unreadable);
	RUN(test_offsets);
	return check_report();
}
