/* SPDX-License-Identifier: MIT */
#include "check.h"
#include "restore/held_blocks.h"

#define NSTREAMS 4
#define MAX_NBYTES 1000

/* The same in arrays: what must be held. */
struct twin {
	uint32_t blocks[NSTREAMS][4096];
	uint32_t lengths[NSTREAMS][4096];
	uint32_t first[NSTREAMS];
	uint32_t end[NSTREAMS];
	uint32_t used[NSTREAMS];
	uint64_t nbytes;
};

static void check_same(const struct held_blocks *held, const struct twin *t)
{
	CHECK_EQ_U64(held->nbytes, t->nbytes);
	for (uint32_t s = 0; s < NSTREAMS; s++) {
		const struct held_block *b = held->queues[s].first;

		CHECK((b == NULL) == (t->first[s] == t->end[s]));
		if (!b)
			continue;
		CHECK_EQ_U64(b->block, t->blocks[s][t->first[s]]);
		CHECK_EQ_U64(b->nbytes, t->lengths[s][t->first[s]]);
		CHECK_EQ_U64(b->used_nbytes, t->used[s]);
		CHECK(b->raw[0] == (uint8_t)(b->block + s));
		CHECK(b->raw[b->nbytes - 1] == (uint8_t)(b->block + s));
	}
}

static void add(struct held_blocks *held, struct twin *t, uint32_t stream,
		uint32_t nbytes)
{
	struct nc3z_error err = { 0 };
	uint32_t block = t->end[stream];
	struct held_block *b = held_block_new(block, nbytes);
	int status;

	REQUIRE(b != NULL);
	memset(b->raw, (uint8_t)(block + stream), nbytes);
	status = held_blocks_push(held, stream, b, &err);
	if (t->nbytes + nbytes > MAX_NBYTES) {
		CHECK(status == NC3Z_EDAMAGED && err.status == NC3Z_EDAMAGED);
		return;
	}
	CHECK(status == NC3Z_OK);
	t->blocks[stream][block] = block;
	t->lengths[stream][block] = nbytes;
	t->end[stream]++;
	t->nbytes += nbytes;
}

/* Uses up to all of the first block of a stream. */
static void use(struct held_blocks *held, struct twin *t, uint32_t stream,
		uint64_t *seed)
{
	uint32_t left, n;

	if (t->first[stream] == t->end[stream])
		return;
	left = t->lengths[stream][t->first[stream]] - t->used[stream];
	n = 1 + (uint32_t)check_random_below(seed, left);
	held_blocks_use(held, stream, held->queues[stream].first, n);
	t->used[stream] += n;
	if (n == left) {
		t->nbytes -= t->lengths[stream][t->first[stream]];
		t->first[stream]++;
		t->used[stream] = 0;
	}
}

static void test_random(void)
{
	static struct twin t;
	struct held_blocks held;
	uint64_t seed = 31;

	REQUIRE(held_blocks_init(&held, NSTREAMS, MAX_NBYTES, NULL) == NC3Z_OK);
	for (int i = 0; i < 8000; i++) {
		uint32_t stream = (uint32_t)check_random_below(&seed, NSTREAMS);

		if (check_random_below(&seed, 5) < 2)
			add(&held, &t, stream,
			    1 + (uint32_t)check_random_below(&seed, 300));
		else
			use(&held, &t, stream, &seed);
		check_same(&held, &t);
	}
	/* With blocks still there. */
	add(&held, &t, 1, 1);
	held_blocks_release(&held);
	CHECK(held.queues == NULL && held.nbytes == 0);
	held_blocks_release(&held);
}

static int push(struct held_blocks *held, uint32_t block, uint32_t nbytes)
{
	return held_blocks_push(held, 0, held_block_new(block, nbytes), NULL);
}

static void use_first(struct held_blocks *held, uint32_t nbytes)
{
	held_blocks_use(held, 0, held->queues[0].first, nbytes);
}

static void test_limit(void)
{
	struct held_blocks held;

	REQUIRE(held_blocks_init(&held, 1, 100, NULL) == NC3Z_OK);
	CHECK(push(&held, 0, 101) == NC3Z_EDAMAGED);
	CHECK(held_blocks_find(&held, 0, 0) == NULL);
	CHECK(push(&held, 0, 100) == NC3Z_OK);
	CHECK(push(&held, 1, 1) == NC3Z_EDAMAGED);
	use_first(&held, 99); /* counts as held until the last */
	CHECK(push(&held, 1, 1) == NC3Z_EDAMAGED);
	use_first(&held, 1);
	CHECK(held_blocks_find(&held, 0, 0) == NULL);
	CHECK(push(&held, 1, 100) == NC3Z_OK);
	REQUIRE(held_blocks_find(&held, 0, 1) != NULL);
	CHECK_EQ_U64(held_blocks_find(&held, 0, 1)->block, 1);
	held_blocks_release(&held);
}

/* Several blocks are used row by row, as chunks are. */
static void test_find(void)
{
	struct held_blocks held;

	REQUIRE(held_blocks_init(&held, 1, 100, NULL) == NC3Z_OK);
	for (uint32_t block = 3; block < 9; block += 2)
		REQUIRE(push(&held, block, 4) == NC3Z_OK);
	for (unsigned row = 0; row < 4; row++)
		for (uint32_t block = 0; block < 10; block++) {
			struct held_block *b =
				held_blocks_find(&held, 0, block);
			bool is_there = block == 3 || block == 5 || block == 7;

			CHECK((b != NULL) == is_there);
			if (b)
				held_blocks_use(&held, 0, b, 1);
		}
	CHECK_EQ_U64(held.nbytes, 0);
	CHECK(held_blocks_find(&held, 0, UINT64_C(3) + UINT32_MAX + 1) == NULL);

	/* One that is used up stays until those before it are. */
	REQUIRE(push(&held, 10, 2) == NC3Z_OK && push(&held, 11, 2) == NC3Z_OK);
	held_blocks_use(&held, 0, held_blocks_find(&held, 0, 11), 2);
	CHECK_EQ_U64(held.nbytes, 4);
	use_first(&held, 2);
	CHECK_EQ_U64(held.nbytes, 0);
	held_blocks_release(&held);
}

static void test_no_streams(void)
{
	struct held_blocks held;

	CHECK(held_blocks_init(&held, 0, 100, NULL) == NC3Z_OK);
	held_blocks_release(&held);
}

int main(void)
{
	RUN(test_random);
	RUN(test_limit);
	RUN(test_find);
	RUN(test_no_streams);
	return check_report();
}
