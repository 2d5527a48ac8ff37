/* SPDX-License-Identifier: MIT */
/*
 * The block cache that the files of a process share, unless they ask for one of
 * their own: one budget, however many files are open.
 */
#ifndef NC3Z_READ_SHARED_CACHE_H
#define NC3Z_READ_SHARED_CACHE_H

#include "parallel/cache.h"

struct shared_cache;

/* One more file uses it.  NULL if out of memory. */
struct shared_cache *shared_cache_take(void);

/* A file uses it no more; what the file had in it was dropped before. */
void shared_cache_give(struct shared_cache *shared);

struct cache *shared_cache_of(struct shared_cache *shared);

/* How many files use it. */
unsigned shared_cache_nfiles(struct shared_cache *shared);

#endif
