/* SPDX-License-Identifier: MIT */
#ifndef NC3Z_PARALLEL_CACHE_ENTRY_H
#define NC3Z_PARALLEL_CACHE_ENTRY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cache_key {
	uint64_t owner;
	uint64_t number;
};

/* A buffer of a cache; contents do not change while it is pinned. */
struct cache_entry {
	const uint8_t *data;
	size_t nbytes;
	struct cache_key key;
	/* Under the lock of the cache: */
	uint8_t *memory;
	size_t capacity;
	bool is_slot;  /* from memory in huge pages */
	bool is_ahead; /* filled ahead of its reader, which has not come back */
	size_t used_nbytes;
	unsigned npins;
	unsigned state;
	struct cache_entry *next_in_bucket;
	struct cache_entry *older;
	struct cache_entry *newer;
};

#endif
