/* SPDX-License-Identifier: MIT */
/* Many files are opened for their header only: room is made when it is used. */
#include "read/ahead_queue.h"

#include <stdlib.h>

/* Blocks that wait to be decoded; more are not. */
#define WAITING_MAX 512u

struct ahead_room {
	struct ahead_block waiting[WAITING_MAX];
	struct announce_block added[WAITING_MAX];
};

void ahead_queue_release(struct ahead_queue *queue)
{
	free(queue->room);
	*queue = (struct ahead_queue){ 0 };
}

void ahead_queue_push(struct ahead_queue *queue, struct nc3z_file *file,
		      const struct ahead_block *block)
{
	unsigned place = (queue->first + queue->nwaiting) % WAITING_MAX;

	if (!queue->room)
		queue->room = malloc(sizeof(*queue->room));
	if (!queue->room || queue->nwaiting == WAITING_MAX ||
	    !workers_ask(file->workers))
		return;
	queue->room->waiting[place] = *block;
	queue->nwaiting++;
	if (queue->nadded < WAITING_MAX)
		queue->room->added[queue->nadded++] = (struct announce_block){
			.stream = block->stream,
			.block = block->block,
		};
}

void ahead_queue_announce(struct ahead_queue *queue, struct nc3z_file *file)
{
	if (queue->nadded == 0)
		return;
	announce_ahead(file, queue->room->added, queue->nadded);
	queue->nadded = 0;
}

/* The block that waits longest and is still wanted; false if there is none. */
static bool take_block(struct ahead_queue *queue, struct ahead_block *block_ret)
{
	while (queue->nwaiting > 0) {
		*block_ret = queue->room->waiting[queue->first];
		queue->first = (queue->first + 1) % WAITING_MAX;
		queue->nwaiting--;
		if (block_ret->position > *block_ret->passed)
			return true;
		/* The reader was faster. */
	}
	return false;
}

/*
 * The room for it in the cache is taken under the lock, before the reader can
 * pass it: so it is not decoded once more when it has been used and is gone.
 */
static void decode_ahead(struct nc3z_file *file, const struct ahead_block *b,
			 pthread_mutex_t *lock)
{
	struct plan_block block =
		plan_block_numbered(&file->map, b->stream, b->block);
	struct cache_entry *entry = fetch_reserve(file, b->stream, &block);

	if (!entry)
		return;
	pthread_mutex_unlock(lock);
	/* Whoever asks for the values sees what is wrong. */
	(void)fetch_reserved(file, b->stream, &block, entry);
	pthread_mutex_lock(lock);
}

void ahead_queue_decode(struct ahead_queue *queue, struct nc3z_file *file,
			pthread_mutex_t *lock)
{
	struct ahead_block block;

	if (take_block(queue, &block))
		decode_ahead(file, &block, lock);
}

void ahead_queue_help(struct ahead_queue *queue, struct nc3z_file *file,
		      uint32_t stream, uint64_t block, pthread_mutex_t *lock)
{
	struct ahead_block next;

	while (fetch_is_running(file, stream, block) &&
	       take_block(queue, &next))
		decode_ahead(file, &next, lock);
}
