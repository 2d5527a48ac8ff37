/* SPDX-License-Identifier: MIT */
/* Entries of a cache, from oldest to newest; each is in one list or none. */
#ifndef NC3Z_PARALLEL_CACHE_LIST_H
#define NC3Z_PARALLEL_CACHE_LIST_H

#include "parallel/cache_entry.h"

/* Zero-initialised it is empty. */
struct cache_list {
	struct cache_entry *oldest;
	struct cache_entry *newest;
};

void cache_list_put_newest(struct cache_list *list, struct cache_entry *entry);
void cache_list_put_oldest(struct cache_list *list, struct cache_entry *entry);
void cache_list_take_out(struct cache_list *list, struct cache_entry *entry);

#endif
