/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "stage.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <unistd.h>

#include "nc3z.h"
#include "shape.h"

static void plant(struct stage *stage, const struct naming *naming)
{
	int fd = open(stage->dir, O_RDONLY | O_DIRECTORY);

	CHECK(fd >= 0);
	CHECK(tree_init(&stage->tree, fd, naming, stage->archives) == 0);
}

static void fell(struct stage *stage)
{
	int fd = stage->tree.root_fd;

	tree_release(&stage->tree);
	close(fd);
}

void stage_begin(struct stage *stage, const struct archives_limits *limits)
{
	const struct naming naming = { .suffix = ".nc3z" };
	const struct archives_limits defaults = {
		.max_open = ARCHIVES_MAX_OPEN_DEFAULT,
		.max_memory_nbytes = ARCHIVES_MAX_MEMORY_DEFAULT,
	};

	dir_make(stage->dir);
	stage->archives = archives_new(limits ? limits : &defaults);
	CHECK(stage->archives != NULL);
	plant(stage, &naming);
}

void stage_name(struct stage *stage, const char *suffix, bool archives_only)
{
	const struct naming naming = { suffix, archives_only };

	fell(stage);
	plant(stage, &naming);
}

static int remove_one(const char *path, const struct stat *stat, int kind,
		      struct FTW *where)
{
	(void)stat;
	(void)kind;
	(void)where;
	return remove(path);
}

void stage_end(struct stage *stage)
{
	fell(stage);
	archives_free(stage->archives);
	CHECK(nftw(stage->dir, remove_one, 8, FTW_DEPTH | FTW_PHYS) == 0);
}

/* Shorts in one variable, half smooth and half noise. */
static void make_original(size_t nbytes, uint64_t seed, struct blob *out)
{
	struct shape shape = {
		.version = 2,
		.ndims = 1,
		.dims = { nbytes / 2 },
		.nvars = 1,
		.vars = { { .type = 3, .rank = 1, .dimids = { 0 } } },
	};

	shape_place(&shape, 0);
	*out = (struct blob){ 0 };
	shape_file(&shape, shape_end(&shape), &seed, out);
}

void stage_archive(struct stage *stage, const char *name, size_t nbytes,
		   uint64_t seed, struct blob *original)
{
	char *path = dir_path(stage->dir, name);
	struct nc3z_pack_options options;
	struct nc3z_source *source;
	struct nc3z_sink *sink;
	struct blob made;

	make_original(nbytes, seed, &made);
	nc3z_pack_options_init(&options);
	options.block_nbytes = NC3Z_BLOCK_NBYTES_MIN;
	options.level = 0; /* what is in the blocks does not matter */
	options.nthreads = 1;
	CHECK(nc3z_source_open_memory(made.data, made.nbytes, &source, NULL) ==
	      NC3Z_OK);
	CHECK(nc3z_sink_open_path(path, NC3Z_SINK_REPLACE, 0644, &sink, NULL) ==
	      NC3Z_OK);
	CHECK(nc3z_pack(source, sink, &options, NULL, NULL) == NC3Z_OK);
	CHECK(nc3z_sink_commit(sink, NULL) == NC3Z_OK);
	nc3z_sink_close(sink);
	nc3z_source_close(source);
	free(path);
	if (original)
		*original = made;
	else
		blob_release(&made);
}

void stage_file(struct stage *stage, const char *name, const char *text)
{
	char *path = dir_path(stage->dir, name);

	file_write(path, text, strlen(text));
	free(path);
}

void stage_link(struct stage *stage, const char *name, const char *target)
{
	CHECK(symlinkat(target, stage->tree.root_fd, name) == 0);
}

void stage_dir(struct stage *stage, const char *name)
{
	CHECK(mkdirat(stage->tree.root_fd, name, 0755) == 0);
}

void stage_rename(struct stage *stage, const char *from, const char *to)
{
	int fd = stage->tree.root_fd;

	CHECK(renameat(fd, from, fd, to) == 0);
}

void stage_damage(struct stage *stage, const char *name, uint64_t offset,
		  size_t nbytes)
{
	int fd = openat(stage->tree.root_fd, name, O_RDWR);
	struct timespec times[2];
	struct stat stat;
	uint8_t byte;

	REQUIRE(fd >= 0 && fstat(fd, &stat) == 0);
	for (size_t i = 0; i < nbytes; i++) {
		CHECK(pread(fd, &byte, 1, (off_t)(offset + i)) == 1);
		byte ^= 0xff;
		CHECK(pwrite(fd, &byte, 1, (off_t)(offset + i)) == 1);
	}
	/* As a disk does it: no time tells. */
	times[0] = stat.st_atim;
	times[1] = stat.st_mtim;
	CHECK(futimens(fd, times) == 0);
	close(fd);
}

int stage_lookup(struct stage *stage, const char *path, struct found *found)
{
	struct node *dir = &stage->tree.root;
	char *copy = strdup(path), *save = NULL, *name;
	int status = 0;

	for (name = strtok_r(copy, "/", &save); name && status == 0;
	     name = strtok_r(NULL, "/", &save)) {
		status = tree_lookup(&stage->tree, dir, name, found);
		dir = found->node;
	}
	free(copy);
	return status;
}

int stage_read(struct stage *stage, struct node *node, void *data,
	       size_t nbytes, uint64_t offset, size_t *nbytes_ret)
{
	int status = tree_open_archive(&stage->tree, node);

	if (status != 0)
		return status;
	status = tree_read_archive(&stage->tree, node, data, nbytes, offset,
				   nbytes_ret);
	tree_close_archive(&stage->tree, node);
	return status;
}

bool stage_is_original(struct stage *stage, struct node *node,
		       const struct blob *original)
{
	uint8_t *data = malloc(original->nbytes + 1);
	size_t got = 0;
	bool same = data &&
		    stage_read(stage, node, data, original->nbytes + 1, 0,
			       &got) == 0 &&
		    got == original->nbytes &&
		    memcmp(data, original->data, got) == 0;

	free(data);
	return same;
}
