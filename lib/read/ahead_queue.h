/* SPDX-License-Identifier: MIT */
/*
 * The blocks of a file that wait to be decoded ahead of their readers, in the
 * order in which those will want them.
 *
 * A block that no thread has begun when it is wanted is decoded by the reader's
 * thread.  If one has, the reader does not wait but takes the next block that
 * waits; so all processors are at work until the reader is the slower one.
 *
 * All calls are made under one lock of the caller's, which is released while a
 * block is decoded.
 */
#ifndef NC3Z_READ_AHEAD_QUEUE_H
#define NC3Z_READ_AHEAD_QUEUE_H

#include "read/announce.h"
#include "read/file.h"

struct ahead_block {
	uint32_t stream;
	uint64_t block;
	/* Its reader does not want it any more once it has passed this. */
	uint64_t position;
	const uint64_t *passed;
};

/* Zero-initialised it is empty. */
struct ahead_queue {
	struct ahead_room *room; /* NULL until there is a block */
	unsigned first; /* place of the one that waits longest, going round */
	unsigned nwaiting;
	size_t nadded; /* of these, the ones that are not announced yet */
};

/* No call is running. */
void ahead_queue_release(struct ahead_queue *queue);

/* One more, if there is room, memory and a worker to decode it. */
void ahead_queue_push(struct ahead_queue *queue, struct nc3z_file *file,
		      const struct ahead_block *block);

/*
 * To be called before the lock is given back, so that no worker asks for the
 * blocks that were pushed one by one before they are announced.
 */
void ahead_queue_announce(struct ahead_queue *queue, struct nc3z_file *file);

/* Decodes the block that waits longest and is still wanted, if there is one. */
void ahead_queue_decode(struct ahead_queue *queue, struct nc3z_file *file,
			pthread_mutex_t *lock);

/* While another thread decodes the block that is wanted, decodes others. */
void ahead_queue_help(struct ahead_queue *queue, struct nc3z_file *file,
		      uint32_t stream, uint64_t block, pthread_mutex_t *lock);

#endif
