/* SPDX-License-Identifier: MIT */
/*
 * A hash table of entries, and two lists of those that are filled and not
 * pinned, in the order in which they would leave: of those that a reader has
 * passed and, after them, of the others.  One lock guards all; it is held for a
 * few pointers at a time, never while a buffer is filled.
 *
 * An entry that has to be filled is put into the table first, so that others
 * find it and wait.  If filling fails it is taken out again, and those who
 * waited try for themselves.
 *
 * The memory of an entry that leaves goes to the one that takes its place:
 * touching fresh pages costs about as much as decoding into them.  Entries that
 * were filled ahead of a reader who goes forward, and that it has used whole,
 * are passed: it gets their memory again once they fill a part of the budget,
 * and neither touches nor takes all of it.  Whoever comes back to one takes it
 * out of that.
 */
#include "parallel/cache.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

#include "parallel/cache_list.h"
#include "parallel/cache_table.h"
#include "parallel/slots.h"

/* The part of the budget that entries that were passed may fill. */
#define PASSED_DIVISOR 4

enum entry_state {
	ENTRY_FILLING,
	ENTRY_FILLED,
	ENTRY_FAILED
};

struct cache {
	pthread_mutex_t lock;
	pthread_cond_t filled; /* an entry is filled, or failed */
	uint64_t max_nbytes;
	struct cache_table table;
	/* Filled and not pinned: passed by their reader, and others. */
	struct cache_list passed;
	struct cache_list others;
	uint64_t nbytes_passed;
	struct cache_stats stats;
	struct slots slots; /* memory of large entries */
};

struct cache *cache_new(uint64_t max_nbytes)
{
	struct cache *cache = calloc(1, sizeof(*cache));

	if (!cache)
		return NULL;
	cache->max_nbytes = max_nbytes;
	if (!cache_table_init(&cache->table)) {
		free(cache);
		return NULL;
	}
	pthread_mutex_init(&cache->lock, NULL);
	pthread_cond_init(&cache->filled, NULL);
	return cache;
}

static void free_entry(struct cache *cache, struct cache_entry *entry)
{
	if (entry->is_slot)
		slots_give(&cache->slots, entry->memory);
	else
		free(entry->memory);
	free(entry);
}

void cache_free(struct cache *cache)
{
	struct cache_entry *entry, *next;

	if (!cache)
		return;
	for (entry = cache_table_next(&cache->table, NULL); entry;
	     entry = next) {
		next = cache_table_next(&cache->table, entry);
		free_entry(cache, entry);
	}
	pthread_cond_destroy(&cache->filled);
	pthread_mutex_destroy(&cache->lock);
	cache_table_release(&cache->table);
	free(cache);
}

static void put_into_table(struct cache *cache, struct cache_entry *entry)
{
	cache_table_put(&cache->table, entry);
	cache->stats.nheld++;
	cache->stats.nbytes_held += entry->nbytes;
}

static void take_out_of_table(struct cache *cache, struct cache_entry *entry)
{
	cache_table_take_out(&cache->table, entry);
	cache->stats.nheld--;
	cache->stats.nbytes_held -= entry->nbytes;
}

static bool is_spent(const struct cache_entry *entry)
{
	return entry->used_nbytes >= entry->nbytes;
}

static bool is_passed(const struct cache_entry *entry)
{
	return entry->is_ahead && is_spent(entry);
}

static struct cache_list *list_of(struct cache *cache,
				  const struct cache_entry *entry)
{
	return is_passed(entry) ? &cache->passed : &cache->others;
}

static void unlink_idle(struct cache *cache, struct cache_entry *entry)
{
	if (is_passed(entry))
		cache->nbytes_passed -= entry->nbytes;
	cache_list_take_out(list_of(cache, entry), entry);
}

/* Those that were used whole without being passed leave before all others. */
static void link_idle(struct cache *cache, struct cache_entry *entry)
{
	if (is_passed(entry))
		cache->nbytes_passed += entry->nbytes;
	if (is_spent(entry) && !is_passed(entry))
		cache_list_put_oldest(list_of(cache, entry), entry);
	else
		cache_list_put_newest(list_of(cache, entry), entry);
}

/* The one that leaves first; NULL if none is idle. */
static struct cache_entry *first_to_leave(struct cache *cache)
{
	return cache->passed.oldest ? cache->passed.oldest :
				      cache->others.oldest;
}

/* An entry that nobody uses leaves; its memory stays. */
static void let_leave(struct cache *cache, struct cache_entry *entry)
{
	unlink_idle(cache, entry);
	take_out_of_table(cache, entry);
}

static void pin(struct cache *cache, struct cache_entry *entry)
{
	if (entry->npins++ > 0 || entry->state != ENTRY_FILLED)
		return;
	unlink_idle(cache, entry);
	if (is_passed(entry))
		entry->is_ahead = false;
}

static void unpin(struct cache *cache, struct cache_entry *entry)
{
	if (--entry->npins == 0)
		link_idle(cache, entry);
}

/* A third may be left over, as in slots.h: the budget does not count that. */
static bool suits_entry(const struct cache_entry *entry, size_t nbytes)
{
	return entry->capacity >= nbytes &&
	       entry->capacity - nbytes <= entry->capacity / 4;
}

/*
 * Makes room for 'nbytes' bytes.  Gives an entry that left and whose memory
 * suits them, if there is one.
 */
static struct cache_entry *make_room(struct cache *cache, size_t nbytes)
{
	struct cache_entry *suiting = NULL, *entry;

	while ((entry = first_to_leave(cache)) != NULL &&
	       cache->stats.nbytes_held + nbytes > cache->max_nbytes) {
		let_leave(cache, entry);
		if (!suiting && suits_entry(entry, nbytes))
			suiting = entry;
		else
			free_entry(cache, entry);
	}
	return suiting;
}

/*
 * Where enough were passed, the oldest of them leaves.  Gives it if its memory
 * suits 'nbytes' bytes.
 */
static struct cache_entry *take_passed(struct cache *cache, size_t nbytes)
{
	struct cache_entry *entry = cache->passed.oldest;

	if (cache->nbytes_passed <= cache->max_nbytes / PASSED_DIVISOR)
		return NULL;
	let_leave(cache, entry);
	if (suits_entry(entry, nbytes))
		return entry;
	free_entry(cache, entry);
	return NULL;
}

static struct cache_entry *new_entry(struct cache *cache, size_t nbytes)
{
	struct cache_entry *entry = calloc(1, sizeof(*entry));

	if (!entry)
		return NULL;
	entry->capacity = nbytes;
	entry->is_slot = nbytes >= SLOTS_NBYTES_MIN &&
			 nbytes <= SLOTS_NBYTES_MAX &&
			 cache->stats.nbytes_held >= SLOTS_WORTH_NBYTES;
	if (entry->is_slot)
		entry->memory =
			slots_take(&cache->slots, nbytes, &entry->capacity);
	else
		entry->memory = malloc(nbytes ? nbytes : 1);
	if (!entry->memory) {
		free(entry);
		return NULL;
	}
	return entry;
}

/* An entry to be filled, in the table and pinned; NULL if out of memory. */
static struct cache_entry *add_entry(struct cache *cache, struct cache_key key,
				     size_t nbytes)
{
	struct cache_entry *entry = make_room(cache, nbytes);

	if (!entry)
		entry = take_passed(cache, nbytes);
	if (!entry)
		entry = new_entry(cache, nbytes);
	if (!entry)
		return NULL;
	*entry = (struct cache_entry){
		.data = entry->memory,
		.nbytes = nbytes,
		.key = key,
		.memory = entry->memory,
		.capacity = entry->capacity,
		.is_slot = entry->is_slot,
		.npins = 1,
		.state = ENTRY_FILLING,
	};
	put_into_table(cache, entry);
	return entry;
}

static void drop_failed(struct cache *cache, struct cache_entry *entry)
{
	if (--entry->npins == 0)
		free_entry(cache, entry);
}

/* Fills an entry of this thread; the lock is held before and after. */
static int fill_entry(struct cache *cache, struct cache_entry *entry,
		      const struct cache_filler *filler, struct nc3z_error *err)
{
	int status;

	pthread_mutex_unlock(&cache->lock);
	status = filler->fill(filler->context, entry->key, entry->memory,
			      entry->nbytes, err);
	pthread_mutex_lock(&cache->lock);
	entry->state = status == NC3Z_OK ? ENTRY_FILLED : ENTRY_FAILED;
	if (status != NC3Z_OK) {
		take_out_of_table(cache, entry);
		drop_failed(cache, entry);
	}
	pthread_cond_broadcast(&cache->filled);
	return status;
}

/* Pins an entry that is there and waits for it; false if it failed. */
static bool wait_for(struct cache *cache, struct cache_entry *entry)
{
	pin(cache, entry);
	while (entry->state == ENTRY_FILLING)
		pthread_cond_wait(&cache->filled, &cache->lock);
	if (entry->state == ENTRY_FILLED)
		return true;
	drop_failed(cache, entry);
	return false;
}

int cache_get(struct cache *cache, struct cache_key key, size_t nbytes,
	      const struct cache_filler *filler, struct cache_entry **entry_ret,
	      struct nc3z_error *err)
{
	struct cache_entry *entry;
	int status = NC3Z_OK;

	pthread_mutex_lock(&cache->lock);
	do {
		entry = cache_table_find(&cache->table, key);
	} while (entry && !wait_for(cache, entry));
	if (!entry) {
		entry = add_entry(cache, key, nbytes);
		status = entry ? fill_entry(cache, entry, filler, err) :
				 error_set_memory(err);
	}
	pthread_mutex_unlock(&cache->lock);
	*entry_ret = status == NC3Z_OK ? entry : NULL;
	return status;
}

struct cache_entry *cache_reserve(struct cache *cache, struct cache_key key,
				  size_t nbytes)
{
	struct cache_entry *entry = NULL;

	pthread_mutex_lock(&cache->lock);
	if (!cache_table_find(&cache->table, key))
		entry = add_entry(cache, key, nbytes);
	pthread_mutex_unlock(&cache->lock);
	return entry;
}

int cache_fill(struct cache *cache, struct cache_entry *entry,
	       const struct cache_filler *filler, struct nc3z_error *err)
{
	int status;

	pthread_mutex_lock(&cache->lock);
	entry->is_ahead = true;
	status = fill_entry(cache, entry, filler, err);
	if (status == NC3Z_OK)
		unpin(cache, entry);
	pthread_mutex_unlock(&cache->lock);
	return status;
}

bool cache_is_filling(struct cache *cache, struct cache_key key)
{
	const struct cache_entry *entry;
	bool is_filling;

	pthread_mutex_lock(&cache->lock);
	entry = cache_table_find(&cache->table, key);
	is_filling = entry && entry->state == ENTRY_FILLING;
	pthread_mutex_unlock(&cache->lock);
	return is_filling;
}

struct cache_entry *cache_find(struct cache *cache, struct cache_key key)
{
	struct cache_entry *entry;

	pthread_mutex_lock(&cache->lock);
	do {
		entry = cache_table_find(&cache->table, key);
	} while (entry && !wait_for(cache, entry));
	pthread_mutex_unlock(&cache->lock);
	return entry;
}

bool cache_has(struct cache *cache, struct cache_key key)
{
	bool found;

	pthread_mutex_lock(&cache->lock);
	found = cache_table_find(&cache->table, key) != NULL;
	pthread_mutex_unlock(&cache->lock);
	return found;
}

void cache_put(struct cache *cache, struct cache_entry *entry,
	       size_t used_nbytes)
{
	pthread_mutex_lock(&cache->lock);
	entry->used_nbytes += used_nbytes;
	unpin(cache, entry);
	pthread_mutex_unlock(&cache->lock);
}

void cache_lock(struct cache *cache)
{
	pthread_mutex_lock(&cache->lock);
}

void cache_unlock(struct cache *cache)
{
	pthread_mutex_unlock(&cache->lock);
}

uint64_t cache_max_nbytes(struct cache *cache)
{
	uint64_t max_nbytes;

	pthread_mutex_lock(&cache->lock);
	max_nbytes = cache->max_nbytes;
	pthread_mutex_unlock(&cache->lock);
	return max_nbytes;
}

void cache_set_max_nbytes(struct cache *cache, uint64_t max_nbytes)
{
	struct cache_entry *left;

	pthread_mutex_lock(&cache->lock);
	cache->max_nbytes = max_nbytes;
	left = make_room(cache, 0);
	if (left)
		free_entry(cache, left);
	pthread_mutex_unlock(&cache->lock);
}

static void drop_from(struct cache *cache, const struct cache_list *list,
		      uint64_t owner)
{
	struct cache_entry *entry, *next;

	for (entry = list->oldest; entry; entry = next) {
		next = entry->newer;
		if (entry->key.owner != owner)
			continue;
		let_leave(cache, entry);
		free_entry(cache, entry);
	}
}

void cache_drop(struct cache *cache, uint64_t owner)
{
	pthread_mutex_lock(&cache->lock);
	drop_from(cache, &cache->passed, owner);
	drop_from(cache, &cache->others, owner);
	pthread_mutex_unlock(&cache->lock);
}

struct cache_stats cache_stats_of(struct cache *cache, uint64_t owner)
{
	struct cache_stats stats = { 0 };
	const struct cache_entry *entry = NULL;

	pthread_mutex_lock(&cache->lock);
	while ((entry = cache_table_next(&cache->table, entry)) != NULL)
		if (entry->key.owner == owner) {
			stats.nheld++;
			stats.nbytes_held += entry->nbytes;
		}
	pthread_mutex_unlock(&cache->lock);
	return stats;
}

struct cache_stats cache_stats(struct cache *cache)
{
	struct cache_stats stats;

	pthread_mutex_lock(&cache->lock);
	stats = cache->stats;
	pthread_mutex_unlock(&cache->lock);
	return stats;
}
