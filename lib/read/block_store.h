/* SPDX-License-Identifier: MIT */
/*
 * Blocks that an iterator keeps from one request to the next ones.
 *
 * A file's cache guesses what will be wanted again; an iterator knows.  Which
 * blocks it keeps follows from its requests and its budget alone, not from what
 * else happens to the file or from the order in which threads get along, so
 * that decodes can be counted before.
 */
#ifndef NC3Z_READ_BLOCK_STORE_H
#define NC3Z_READ_BLOCK_STORE_H

#include "hyperslab/visits.h"

/* A block of one of the files that an iterator reads. */
struct block_key {
	uint64_t block;
	uint32_t stream;
	uint32_t file;
};

/* A block that a request touches. */
struct touched_block {
	struct block_key key;
	uint32_t nbytes;
	uint32_t nruns; /* how often, with other blocks in between */
	bool is_chosen;
	bool is_announced;
};

/* The blocks of requests; zero-initialised there are none. */
struct touched_blocks {
	struct touched_block *list;
	size_t count;
	size_t capacity;
};

/*
 * Adds what a request touches that has a value, in its order.  NC3Z_ENOMEM.
 */
int touched_blocks_add(struct touched_blocks *touches,
		       const struct hyperslab_visits *wanted, uint32_t file,
		       struct nc3z_error *err);

/* Sorts them and makes one of those of a block. */
void touched_blocks_join(struct touched_blocks *touches);
void touched_blocks_release(struct touched_blocks *touches);

/*
 * Whether each block of a request is in one visit, so that several threads can
 * work it off that know nothing of each other.
 */
bool request_is_regular(const struct hyperslab_visits *wanted);

struct block_store_entry {
	struct block_key key;
	uint32_t nbytes;
	bool stays;    /* also after the request that is running */
	uint8_t *data; /* NULL as long as it is not decoded */
};

/* Not under a lock: a block is touched by one thread of a request alone. */
struct block_store {
	uint64_t max_nbytes;
	uint32_t file;                  /* whose blocks are looked for */
	struct block_store_entry *list; /* ascending */
	size_t count;
	size_t capacity;
};

/* Whether it is kept and decoded already. */
bool block_store_has(const struct block_store *kept,
		     const struct block_key *key);

/* Whether a block is among those that were joined. */
bool touched_blocks_has(const struct touched_blocks *touches,
			const struct block_key *key);

/* NULL if it is not to be kept. */
struct block_store_entry *block_store_find(const struct block_store *kept,
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
int block_store_begin(struct block_store *kept, struct touched_blocks *ring,
		      size_t first, size_t n, uint64_t *ndecoded_ret,
		      struct nc3z_error *err);

/* After the request: forgets blocks that are no longer wanted. */
void block_store_end(struct block_store *kept);

void block_store_release(struct block_store *kept);

#endif
