/* SPDX-License-Identifier: MIT */
/*
 * A cache of buffers that cost something to fill, shared by any number of
 * threads.
 *
 * A buffer has a key: a number, and an owner, which stands for one of those who
 * share the cache.  The first thread that asks for a key fills its buffer;
 * others that ask meanwhile wait for it.  Whoever got a buffer has it pinned
 * until it gives it back, and says then how much of it was used for the first
 * time: buffers that have been used whole leave first, the others in the order
 * of their last use.  Those that were filled ahead of who used them whole make
 * room for others from a quarter of the budget on.  Pinned buffers never leave,
 * so that a cache may hold more than its budget while they are many.
 */
#ifndef NC3Z_PARALLEL_CACHE_H
#define NC3Z_PARALLEL_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "parallel/cache_entry.h"

struct cache;

/* How to fill a buffer; called without a lock. */
struct cache_filler {
	int (*fill)(void *context, struct cache_key key, uint8_t *data,
		    size_t nbytes, struct nc3z_error *err);
	void *context;
};

/* NULL if out of memory.  'max_nbytes' is the budget. */
struct cache *cache_new(uint64_t max_nbytes);

uint64_t cache_max_nbytes(struct cache *cache);

/* Another budget; what is beyond it leaves. */
void cache_set_max_nbytes(struct cache *cache, uint64_t max_nbytes);

/* Nothing is pinned.  NULL is allowed. */
void cache_free(struct cache *cache);

/* Around a fork, so that the lock is free in the child. */
void cache_lock(struct cache *cache);
void cache_unlock(struct cache *cache);

/* Forgets all buffers of an owner, none of which is pinned or being filled. */
void cache_drop(struct cache *cache, uint64_t owner);

/*
 * The buffer of a key, 'nbytes' long, filled if it has to be, and pinned.
 * Returns NC3Z_OK, NC3Z_ENOMEM, and what the filler returns, which is asked
 * again at the next try.
 */
int cache_get(struct cache *cache, struct cache_key key, size_t nbytes,
	      const struct cache_filler *filler, struct cache_entry **entry_ret,
	      struct nc3z_error *err);

/*
 * In two steps, ahead of those who will use it: a buffer that this thread has
 * to fill next, which others wait for from now on.  NULL if it is there,
 * another thread is filling it, or memory is out.
 */
struct cache_entry *cache_reserve(struct cache *cache, struct cache_key key,
				  size_t nbytes);

/* Fills what was reserved.  Returns what the filler returns. */
int cache_fill(struct cache *cache, struct cache_entry *entry,
	       const struct cache_filler *filler, struct nc3z_error *err);

/* Whether a thread is filling it, or has reserved it. */
bool cache_is_filling(struct cache *cache, struct cache_key key);

/* As cache_get() if it is there or being filled; otherwise NULL. */
struct cache_entry *cache_find(struct cache *cache, struct cache_key key);

/* Whether it is there, or being filled. */
bool cache_has(struct cache *cache, struct cache_key key);

/* Unpins, after using 'used_nbytes' bytes of it. */
void cache_put(struct cache *cache, struct cache_entry *entry,
	       size_t used_nbytes);

struct cache_stats {
	uint64_t nheld;
	uint64_t nbytes_held;
};

/* Of all owners, or of one: a look at every buffer. */
struct cache_stats cache_stats(struct cache *cache);
struct cache_stats cache_stats_of(struct cache *cache, uint64_t owner);

#endif
