/* SPDX-License-Identifier: MIT */
/* That no more archives and blocks are kept than is allowed. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#include "stage.h"

#define NARCHIVES 12

static void make_archives(struct stage *stage, size_t nbytes,
			  struct blob *originals, struct node **nodes)
{
	struct found found;
	char name[16];

	for (unsigned i = 0; i < NARCHIVES; i++) {
		snprintf(name, sizeof(name), "%u.nc3z", i);
		stage_archive(stage, name, nbytes, i, &originals[i]);
		snprintf(name, sizeof(name), "%u", i);
		REQUIRE(stage_lookup(stage, name, &found) == 0);
		nodes[i] = found.node;
	}
}

static void release_originals(struct blob *originals)
{
	for (unsigned i = 0; i < NARCHIVES; i++)
		blob_release(&originals[i]);
}

static unsigned count_descriptors(void)
{
	unsigned n = 0;

	for (int fd = 0; fd < 200; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
}

static void test_number(void)
{
	const struct archives_limits limits = { 3, 1 << 20 };
	struct blob originals[NARCHIVES];
	struct node *nodes[NARCHIVES];
	struct stage stage;
	unsigned ndescriptors;

	stage_begin(&stage, &limits);
	make_archives(&stage, 20000, originals, nodes);
	ndescriptors = count_descriptors();
	for (unsigned i = 0; i < 3 * NARCHIVES; i++) {
		CHECK(stage_is_original(&stage, nodes[i % NARCHIVES],
					&originals[i % NARCHIVES]));
		CHECK_EQ_U64(archives_usage(stage.archives).nkept,
			     i < 3 ? i + 1 : 3);
		CHECK(count_descriptors() <= ndescriptors + 3);
	}
	tree_forget(&stage.tree, nodes[NARCHIVES - 1], 1);
	CHECK_EQ_U64(archives_usage(stage.archives).nkept, 2);
	release_originals(originals);
	stage_end(&stage);
}

static void test_memory(void)
{
	const struct archives_limits limits = { 100, 50000 };
	struct blob originals[NARCHIVES];
	struct node *nodes[NARCHIVES];
	struct archives_usage usage;
	struct stage stage;
	uint8_t byte;
	size_t got;

	stage_begin(&stage, &limits);
	make_archives(&stage, 40000, originals, nodes);
	for (unsigned i = 0; i < NARCHIVES; i++) {
		/* A byte at a time, so that blocks are worth keeping. */
		for (uint64_t at = 0; at < 40000; at += 1000)
			CHECK(stage_read(&stage, nodes[i], &byte, 1, at,
					 &got) == 0 &&
			      byte == originals[i].data[at]);
		usage = archives_usage(stage.archives);
		CHECK(usage.held_nbytes <= limits.max_memory_nbytes);
		CHECK(usage.held_nbytes > 0 && usage.nkept > 0);
	}
	release_originals(originals);
	stage_end(&stage);
	CHECK(usage.nkept < NARCHIVES);
}

/* One that is read here and there gets more memory than it has at first. */
static void test_growth(void)
{
	const uint64_t first = 16 << 20, nbytes = 24 << 20;
	const struct archives_limits limits = { 10, 20 << 20 };
	struct archives_usage usage;
	struct stage stage;
	struct found found;
	uint8_t byte;
	size_t got;

	stage_begin(&stage, &limits);
	stage_archive(&stage, "x.nc3z", nbytes, 1, NULL);
	REQUIRE(stage_lookup(&stage, "x", &found) == 0);
	for (int pass = 0; pass < 3; pass++) {
		for (uint64_t at = 0; at < nbytes; at += 4096)
			CHECK(stage_read(&stage, found.node, &byte, 1, at,
					 &got) == 0);
		usage = archives_usage(stage.archives);
		CHECK(usage.held_nbytes <= limits.max_memory_nbytes);
	}
	CHECK(usage.held_nbytes > first);
	stage_end(&stage);
}

/* All are open at the same time, more than may be kept. */
static void test_all_open(void)
{
	const struct archives_limits limits = { 2, 1 << 20 };
	struct blob originals[NARCHIVES];
	struct node *nodes[NARCHIVES];
	struct stage stage;
	uint8_t data[100];
	size_t got;

	stage_begin(&stage, &limits);
	make_archives(&stage, 20000, originals, nodes);
	for (unsigned i = 0; i < NARCHIVES; i++)
		REQUIRE(tree_open_archive(&stage.tree, nodes[i]) == 0);
	for (unsigned i = 0; i < NARCHIVES; i++)
		CHECK(unlinkat(stage.tree.root_fd, nodes[i]->entry, 0) == 0);
	for (unsigned i = 0; i < 4 * NARCHIVES; i++) {
		unsigned k = i % NARCHIVES;

		REQUIRE(tree_read_archive(&stage.tree, nodes[k], data, 100,
					  i * 100, &got) == 0);
		CHECK_MEM_EQ(data, originals[k].data + i * 100, 100);
		CHECK(archives_usage(stage.archives).nkept <= 2);
	}
	for (unsigned i = 0; i < NARCHIVES; i++)
		tree_close_archive(&stage.tree, nodes[i]);
	release_originals(originals);
	stage_end(&stage);
}

struct reader {
	pthread_t thread;
	struct stage *stage;
	struct blob *originals;
	uint64_t seed;
	unsigned nwrong;
};

static bool read_some(struct reader *r, unsigned i)
{
	struct tree *tree = &r->stage->tree;
	struct found found;
	uint8_t data[6000];
	char name[16];
	uint64_t offset = check_random_below(&r->seed, 15000);
	size_t got;
	bool same;

	snprintf(name, sizeof(name), "%u", i);
	if (tree_lookup(tree, &tree->root, name, &found) != 0 ||
	    tree_open_archive(tree, found.node) != 0)
		return false;
	same = tree_read_archive(tree, found.node, data, sizeof(data), offset,
				 &got) == 0 &&
	       got == 6000 &&
	       memcmp(data, r->originals[i].data + offset, got) == 0;
	tree_close_archive(tree, found.node);
	tree_forget(tree, found.node, 1);
	return same;
}

static void *read_many(void *context)
{
	struct reader *r = context;

	for (unsigned i = 0; i < 300; i++)
		if (!read_some(r, (unsigned)check_random_below(&r->seed,
							       NARCHIVES)))
			r->nwrong++;
	return NULL;
}

/* Threads look up, read and forget, and archives come and go. */
static void test_threads(void)
{
	const struct archives_limits limits = { 3, 60000 };
	struct blob originals[NARCHIVES];
	struct node *nodes[NARCHIVES];
	struct reader readers[6];
	struct stage stage;

	stage_begin(&stage, &limits);
	CHECK(archives_start(stage.archives) == 0);
	make_archives(&stage, 30000, originals, nodes);
	for (unsigned i = 0; i < NARCHIVES; i++)
		tree_forget(&stage.tree, nodes[i], 1);
	for (unsigned i = 0; i < 6; i++) {
		readers[i] = (struct reader){
			.stage = &stage,
			.originals = originals,
			.seed = i,
		};
		REQUIRE(pthread_create(&readers[i].thread, NULL, read_many,
				       &readers[i]) == 0);
	}
	for (unsigned i = 0; i < 6; i++) {
		pthread_join(readers[i].thread, NULL);
		CHECK_EQ_U64(readers[i].nwrong, 0);
	}
	CHECK_EQ_U64(stage.tree.nnodes, 0);
	CHECK_EQ_U64(archives_usage(stage.archives).nkept, 0);
	release_originals(originals);
	stage_end(&stage);
}

int main(void)
{
	RUN(test_number);
	RUN(test_memory);
	RUN(test_growth);
	RUN(test_all_open);
	RUN(test_threads);
	return check_report();
}
