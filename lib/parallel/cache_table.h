/* SPDX-License-Identifier: MIT */
/* The entries of a cache by their keys, in a hash table that grows. */
#ifndef NC3Z_PARALLEL_CACHE_TABLE_H
#define NC3Z_PARALLEL_CACHE_TABLE_H

#include <stdbool.h>

#include "parallel/cache_entry.h"

struct cache_table {
	struct cache_entry **buckets;
	size_t nbuckets; /* a power of two */
	size_t nentries;
};

/* False if out of memory. */
bool cache_table_init(struct cache_table *table);

/* The entries are the caller's. */
void cache_table_release(struct cache_table *table);

/* NULL if there is none. */
struct cache_entry *cache_table_find(const struct cache_table *table,
				     struct cache_key key);

/* No other entry has its key. */
void cache_table_put(struct cache_table *table, struct cache_entry *entry);

void cache_table_take_out(struct cache_table *table, struct cache_entry *entry);

/* The entry after 'entry' in no special order, the first after NULL. */
struct cache_entry *cache_table_next(const struct cache_table *table,
				     const struct cache_entry *entry);

#endif
