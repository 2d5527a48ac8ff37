/* SPDX-License-Identifier: MIT */
/*
 * netCDF IDs are small numbers of the whole process; here is what they stand
 * for.
 *
 * An ID is the place of an entry with a count of how often that place was given
 * away before, so that the ID of a closed file is not soon that of another one:
 *
 *	bit 30 ............ 20 19 .......................... 0
 *	    times given away   place, from FIRST_PLACE on
 *
 * Places lie in chunks, each twice as large as the one before, that are never
 * moved or freed: the chunk of a place is the position of its highest bit.
 * Free places wait in a queue, so that each rests as long as possible.
 *
 * Opening and closing hold the lock; a look-up only reads the chunk's address
 * and the ID that is at the place now, both atomic.  An entry is written before
 * its ID is, and its ID is taken away before the entry is.
 */
#include "compat/table.h"

#include "nc3z_compat.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#define PLACE_BITS 20
#define FIRST_CHUNK_LOG2 8
#define FIRST_PLACE (1u << FIRST_CHUNK_LOG2)
#define NCHUNKS (PLACE_BITS - FIRST_CHUNK_LOG2)
#define MAX_TIMES ((1u << (31 - PLACE_BITS)) - 1)

struct slot {
	atomic_int ncid; /* 0: free */
	struct compat_entry entry;
	unsigned place;
	unsigned times;    /* under the lock */
	struct slot *next; /* in the queue, under the lock */
};

static _Atomic(struct slot *) chunks[NCHUNKS];

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned nchunks;
static struct slot *first_free, **end_of_free = &first_free;

static void put_free(struct slot *slot)
{
	slot->next = NULL;
	*end_of_free = slot;
	end_of_free = &slot->next;
}

static int add_chunk(void)
{
	unsigned count = FIRST_PLACE << nchunks;
	struct slot *chunk;

	if (nchunks == NCHUNKS)
		return NC_ENFILE;
	chunk = calloc(count, sizeof(*chunk));
	if (!chunk)
		return NC_ENOMEM;
	for (unsigned i = 0; i < count; i++) {
		atomic_init(&chunk[i].ncid, 0);
		chunk[i].place = count + i;
		put_free(&chunk[i]);
	}
	atomic_store_explicit(&chunks[nchunks++], chunk, memory_order_release);
	return NC_NOERR;
}

static int take_free(struct slot **slot_ret)
{
	int status = first_free ? NC_NOERR : add_chunk();

	if (status)
		return status;
	*slot_ret = first_free;
	first_free = first_free->next;
	if (!first_free)
		end_of_free = &first_free;
	return NC_NOERR;
}

int compat_add(const struct compat_entry *entry, int *ncid_ret)
{
	struct slot *slot;
	int status;

	pthread_mutex_lock(&lock);
	status = take_free(&slot);
	if (!status) {
		*ncid_ret = (int)(slot->times << PLACE_BITS | slot->place);
		slot->entry = *entry;
		atomic_store_explicit(&slot->ncid, *ncid_ret,
				      memory_order_release);
	}
	pthread_mutex_unlock(&lock);
	return status;
}

static int find_slot(int ncid, struct slot **slot_ret)
{
	unsigned place = (unsigned)ncid & ((1u << PLACE_BITS) - 1);
	unsigned chunk = 0;
	struct slot *slots;

	if (ncid < 0 || place < FIRST_PLACE)
		return NC_EBADID;
	while (place >> (FIRST_CHUNK_LOG2 + 1 + chunk) != 0)
		chunk++;
	slots = atomic_load_explicit(&chunks[chunk], memory_order_acquire);
	if (!slots)
		return NC_EBADID;
	*slot_ret = &slots[place - (FIRST_PLACE << chunk)];
	if (atomic_load_explicit(&(*slot_ret)->ncid, memory_order_acquire) !=
	    ncid)
		return NC_EBADID;
	return NC_NOERR;
}

int compat_find(int ncid, struct compat_entry **entry_ret)
{
	struct slot *slot;
	int status = find_slot(ncid, &slot);

	if (!status)
		*entry_ret = &slot->entry;
	return status;
}

int compat_file(int ncid, struct nc3z_file **file_ret)
{
	struct slot *slot;
	int status = find_slot(ncid, &slot);

	if (!status)
		*file_ret = slot->entry.file;
	return status;
}

int compat_remove(int ncid, struct compat_entry *entry_ret)
{
	struct slot *slot;
	int status;

	pthread_mutex_lock(&lock);
	status = find_slot(ncid, &slot);
	if (!status) {
		atomic_store_explicit(&slot->ncid, 0, memory_order_release);
		*entry_ret = slot->entry;
		slot->times = slot->times == MAX_TIMES ? 0 : slot->times + 1;
		put_free(slot);
	}
	pthread_mutex_unlock(&lock);
	return status;
}
