/*
 * Blocks that an iterator keeps from one request to the next ones.
 *
 * A file's cache guesses what will be wanted again; an iterator knows.  Which
 * blocks it keeps follows from its requests and its budget alone, not from what
 * else happens to the file or from the order in which threads get along, so
 * that decodes can be counted before.
 */
#ifndef NC3Z_READ_KEPT_H
#define NC3Z_READ_KEPT_H

#include "plan/plan_request.h"

/* A block of one of the files that an iterator reads. */
struct block_key {
	uint64_t block;
	uint32_t stream;
	uint32_t file;
};

/* A block that a request touches. */
struct touch {
	struct block_key key;
	uint32_t nbytes;
	uint32_t nruns; /* how often, with other blocks in between */
	bool is_chosen;
	bool is_announced;
};

/* The blocks of requests; zero-initialised there are none. */
struct touches {
	struct touch *list;
	size_t count;
	size_t capacity;
};

/*
 * Adds what a request touches that has a value, in its order.  NC3Z_ENOMEM.
 */
int touches_add(struct touches *touches, const struct plan_request *wanted,
		uint32_t file, struct nc3z_error *err);

/* Sorts them and makes one of those of a block. */
void touches_join(struct touches *touches);
void touches_release(struct touches *touches);

/*
 * Whether each block of a request is in one window, so that several threads can
 * work it off that know nothing of each other.
 */
bool request_is_regular(const struct plan_request *wanted);

struct kept_block {
	struct block_key key;
	uint32_t nbytes;
	bool stays;    /* also behind the request that is running */
	uint8_t *data; /* NULL as long as it is not decoded */
};

/* Not under a lock: a block is touched by one thread of a request alone. */
struct kept_blocks {
	uint64_t max_nbytes;
	uint32_t file;           /* whose blocks are looked for */
	struct kept_block *list; /* ascending */
	size_t count;
	size_t capacity;
};

/* Whether it is kept and decoded already. */
bool kept_blocks_has(const struct kept_blocks *kept,
		     const struct block_key *key);

/* Whether a block is among those that were joined. */
bool touches_has(const struct touches *touches, const struct block_key *key);

/* NULL if it is not to be kept. */
struct kept_block *kept_blocks_find(const struct kept_blocks *kept,
				    uint32_t stream, uint64_t block);

/*
 * Before a request that touches ring[first], all of it joined: adds the blocks
 * that are to be kept, as those that follow it in the ring of 'n' touch them,
 * too.  The nearest ones go before, then those that the request touches several
 * times.
 * '*ndecoded_ret' is how often the request decodes a block.
 *
 * Returns NC3Z_OK, NC3Z_ENOMEM.
 */
int kept_blocks_begin(struct kept_blocks *kept, struct touches *ring,
		      size_t first, size_t n, uint64_t *ndecoded_ret,
		      struct nc3z_error *err);

/* Behind the request: forgets what is not wanted any more. */
void kept_blocks_end(struct kept_blocks *kept);

void kept_blocks_release(struct kept_blocks *kept);

#endif
