/* SPDX-License-Identifier: MIT */
#include "parallel/cache_table.h"

#include <stdlib.h>

#define FIRST_NBUCKETS 64

/* Fibonacci hashing: the top bits of the product are well mixed. */
static size_t bucket_of(size_t nbuckets, struct cache_key key)
{
	uint64_t product =
		(key.number ^ key.owner * UINT64_C(0xff51afd7ed558ccd)) *
		UINT64_C(0x9e3779b97f4a7c15);

	return (size_t)(product >> 32) & (nbuckets - 1);
}

bool cache_table_init(struct cache_table *table)
{
	*table = (struct cache_table){
		.buckets = calloc(FIRST_NBUCKETS, sizeof(*table->buckets)),
		.nbuckets = FIRST_NBUCKETS,
	};
	return table->buckets != NULL;
}

void cache_table_release(struct cache_table *table)
{
	free(table->buckets);
}

struct cache_entry *cache_table_find(const struct cache_table *table,
				     struct cache_key key)
{
	struct cache_entry *entry =
		table->buckets[bucket_of(table->nbuckets, key)];

	while (entry && (entry->key.number != key.number ||
			 entry->key.owner != key.owner))
		entry = entry->next_in_bucket;
	return entry;
}

/* Twice as many buckets; if there is no memory for them, longer chains do. */
static void grow_table(struct cache_table *table)
{
	size_t nbuckets = 2 * table->nbuckets;
	struct cache_entry **buckets = calloc(nbuckets, sizeof(*buckets));

	if (!buckets)
		return;
	for (size_t i = 0; i < table->nbuckets; i++)
		while (table->buckets[i]) {
			struct cache_entry *entry = table->buckets[i];
			size_t bucket = bucket_of(nbuckets, entry->key);

			table->buckets[i] = entry->next_in_bucket;
			entry->next_in_bucket = buckets[bucket];
			buckets[bucket] = entry;
		}
	free(table->buckets);
	table->buckets = buckets;
	table->nbuckets = nbuckets;
}

void cache_table_put(struct cache_table *table, struct cache_entry *entry)
{
	size_t bucket;

	if (table->nentries >= table->nbuckets)
		grow_table(table);
	bucket = bucket_of(table->nbuckets, entry->key);
	entry->next_in_bucket = table->buckets[bucket];
	table->buckets[bucket] = entry;
	table->nentries++;
}

void cache_table_take_out(struct cache_table *table, struct cache_entry *entry)
{
	struct cache_entry **at =
		&table->buckets[bucket_of(table->nbuckets, entry->key)];

	while (*at != entry)
		at = &(*at)->next_in_bucket;
	*at = entry->next_in_bucket;
	table->nentries--;
}

struct cache_entry *cache_table_next(const struct cache_table *table,
				     const struct cache_entry *entry)
{
	size_t bucket = 0;

	if (entry && entry->next_in_bucket)
		return entry->next_in_bucket;
	if (entry)
		bucket = bucket_of(table->nbuckets, entry->key) + 1;
	for (; bucket < table->nbuckets; bucket++)
		if (table->buckets[bucket])
			return table->buckets[bucket];
	return NULL;
}
