/* SPDX-License-Identifier: MIT */
/* Nodes and what is read through them, while files change below. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "stage.h"

#define ORIGINAL_NBYTES 50000

/* Nodes are counted, found again, and forgotten with their directories. */
static void test_forgetting(void)
{
	struct found dir, found, again;
	struct stage stage;

	stage_begin(&stage, NULL);
	stage_dir(&stage, "d");
	stage_file(&stage, "d/f", "");
	REQUIRE(tree_lookup(&stage.tree, &stage.tree.root, "d", &dir) == 0);
	REQUIRE(tree_lookup(&stage.tree, dir.node, "f", &found) == 0);
	REQUIRE(tree_lookup(&stage.tree, dir.node, "f", &again) == 0);
	CHECK(again.node == found.node);
	CHECK_EQ_U64(stage.tree.nnodes, 2);
	tree_forget(&stage.tree, dir.node, 1);
	CHECK_EQ_U64(stage.tree.nnodes, 2);
	tree_forget(&stage.tree, found.node, 1);
	CHECK_EQ_U64(stage.tree.nnodes, 2);
	tree_forget(&stage.tree, found.node, 1);
	CHECK_EQ_U64(stage.tree.nnodes, 0);
	stage_end(&stage);
}

static void test_many_nodes(void)
{
	struct found found[1200];
	struct stage stage;
	char name[16];

	stage_begin(&stage, NULL);
	for (int i = 0; i < 1200; i++) {
		snprintf(name, sizeof(name), "f%d", i);
		stage_file(&stage, name, "");
		REQUIRE(stage_lookup(&stage, name, &found[i]) == 0);
	}
	CHECK_EQ_U64(stage.tree.nnodes, 1200);
	for (int i = 0; i < 1200; i++) {
		struct found again;

		snprintf(name, sizeof(name), "f%d", i);
		REQUIRE(stage_lookup(&stage, name, &again) == 0);
		CHECK(again.node == found[i].node);
		tree_forget(&stage.tree, again.node, 2);
	}
	CHECK_EQ_U64(stage.tree.nnodes, 0);
	stage_end(&stage);
}

/* What is written into an open archive ends reading it. */
static void test_changed(void)
{
	const struct timespec times[2] = { { .tv_sec = 1 }, { .tv_sec = 2 } };
	struct blob original;
	struct found before, after;
	struct stage stage;
	uint8_t byte;
	size_t got;

	stage_begin(&stage, NULL);
	stage_archive(&stage, "x.nc3z", ORIGINAL_NBYTES, 1, &original);
	REQUIRE(stage_lookup(&stage, "x", &before) == 0);
	REQUIRE(tree_open_archive(&stage.tree, before.node) == 0);
	CHECK(tree_read_archive(&stage.tree, before.node, &byte, 1, 0, &got) ==
	      0);
	CHECK(utimensat(stage.tree.root_fd, "x.nc3z", times, 0) == 0);
	CHECK(tree_read_archive(&stage.tree, before.node, &byte, 1, 0, &got) ==
	      EIO);
	REQUIRE(stage_lookup(&stage, "x", &after) == 0);
	CHECK(after.node != before.node);
	CHECK(stage_is_original(&stage, after.node, &original));
	tree_close_archive(&stage.tree, before.node);
	blob_release(&original);
	stage_end(&stage);
}

/* A damaged block fails; the block before and the one behind do not. */
static void test_damaged(void)
{
	struct nc3z_file *file;
	struct nc3z_block block;
	struct blob original;
	struct found found;
	struct stage stage;
	uint64_t begin, end;
	uint8_t data[100];
	char *path;
	size_t got;

	stage_begin(&stage, NULL);
	stage_archive(&stage, "x.nc3z", ORIGINAL_NBYTES, 1, &original);
	path = dir_path(stage.dir, "x.nc3z");
	REQUIRE(nc3z_open(path, NULL, &file, NULL) == NC3Z_OK);
	CHECK(nc3z_inq_block(file, 1, 5, &block, NULL) == NC3Z_OK);
	nc3z_close(file);
	free(path);
	stage_damage(&stage, "x.nc3z", block.offset + block.record_nbytes - 1,
		     1);
	REQUIRE(stage_lookup(&stage, "x", &found) == 0);
	/* The header comes first, which is in no block of the variable. */
	begin = original.nbytes - ORIGINAL_NBYTES + 5 * block.raw_nbytes;
	end = begin + block.raw_nbytes;
	CHECK(stage_read(&stage, found.node, data, 100, begin - 100, &got) ==
	      0);
	CHECK_MEM_EQ(data, original.data + begin - 100, 100);
	for (uint64_t at = begin - 99; at < end; at += 50)
		CHECK(stage_read(&stage, found.node, data, 100, at, &got) ==
		      EIO);
	CHECK(stage_read(&stage, found.node, data, 100, end, &got) == 0);
	CHECK_MEM_EQ(data, original.data + end, 100);
	blob_release(&original);
	stage_end(&stage);
}

/* Without its end, nothing is known of an archive but its name. */
static void test_cut(void)
{
	struct found found;
	struct stage stage;
	int fd;

	stage_begin(&stage, NULL);
	stage_archive(&stage, "x.nc3z", ORIGINAL_NBYTES, 1, NULL);
	fd = openat(stage.tree.root_fd, "x.nc3z", O_WRONLY);
	CHECK(fd >= 0 && ftruncate(fd, 1000) == 0);
	close(fd);
	CHECK(stage_lookup(&stage, "x", &found) == EIO);
	CHECK(stage_lookup(&stage, "x.nc3z", &found) == ENOENT);
	CHECK_EQ_U64(stage.tree.nnodes, 0);
	stage_end(&stage);
}

/* Files that are no archives: the bytes of last time, or others. */
static void test_plain(void)
{
	struct found found;
	struct stage stage;
	bool is_same;
	char text[6] = "";
	int fd;

	stage_begin(&stage, NULL);
	stage_file(&stage, "f", "first");
	REQUIRE(stage_lookup(&stage, "f", &found) == 0);
	CHECK_EQ_U64((uint64_t)found.stat.st_size, 5);
	REQUIRE(tree_open_plain(&stage.tree, found.node, &fd, &is_same) == 0);
	CHECK(!is_same && read(fd, text, 5) == 5);
	CHECK_STR_EQ(text, "first");
	close(fd);
	REQUIRE(tree_open_plain(&stage.tree, found.node, &fd, &is_same) == 0);
	CHECK(is_same);
	close(fd);
	stage_file(&stage, "f", "second");
	REQUIRE(tree_open_plain(&stage.tree, found.node, &fd, &is_same) == 0);
	CHECK(!is_same);
	close(fd);
	CHECK(tree_stat(&stage.tree, found.node, &found.stat) == 0);
	CHECK_EQ_U64((uint64_t)found.stat.st_size, 6);
	stage_file(&stage, "g", "third");
	stage_rename(&stage, "g", "f");
	CHECK(tree_open_plain(&stage.tree, found.node, &fd, &is_same) ==
	      ESTALE);
	CHECK(tree_stat(&stage.tree, found.node, &found.stat) == ESTALE);
	stage_end(&stage);
}

/* A directory that became a link is not entered. */
static void test_dir_becomes_link(void)
{
	struct found found, inner;
	struct stage stage;

	stage_begin(&stage, NULL);
	stage_dir(&stage, "d");
	stage_file(&stage, "d/f", "");
	REQUIRE(stage_lookup(&stage, "d", &found) == 0);
	stage_rename(&stage, "d", "e");
	stage_link(&stage, "d", "e");
	CHECK(tree_lookup(&stage.tree, found.node, "f", &inner) == ESTALE);
	CHECK(tree_stat(&stage.tree, found.node, &found.stat) == ESTALE);
	stage_end(&stage);
}

/* Directories in directories, more than are shown. */
static void test_depth(void)
{
	struct found found = { 0 };
	struct node *dir;
	struct stage stage;
	int fd, next, status = 0;
	unsigned depth = 0;

	stage_begin(&stage, NULL);
	fd = dup(stage.tree.root_fd);
	for (unsigned i = 0; i < TREE_DEPTH_MAX + 2; i++) {
		REQUIRE(mkdirat(fd, "d", 0755) == 0);
		next = openat(fd, "d", O_RDONLY | O_DIRECTORY);
		close(fd);
		fd = next;
	}
	close(fd);
	for (dir = &stage.tree.root; status == 0; dir = found.node) {
		status = tree_lookup(&stage.tree, dir, "d", &found);
		depth += status == 0;
		REQUIRE(depth <= TREE_DEPTH_MAX);
	}
	CHECK_EQ_U64((uint64_t)status, ENAMETOOLONG);
	CHECK_EQ_U64(depth, TREE_DEPTH_MAX);
	stage_end(&stage);
}

int main(void)
{
	RUN(test_forgetting);
	RUN(test_many_nodes);
	RUN(test_changed);
	RUN(test_damaged);
	RUN(test_cut);
	RUN(test_plain);
	RUN(test_dir_becomes_link);
	RUN(test_depth);
	return check_report();
}
