/* SPDX-License-Identifier: MIT */
/*
 * Memory for the large buffers of a cache, several of a size side by side in
 * huge pages where the system has them.
 *
 * A buffer that was just made costs more to touch for the first time, page by
 * page, than to decode a block into: on virtual machines twice as much.  Huge
 * pages are cleared at one go.
 */
#ifndef NC3Z_PARALLEL_SLOTS_H
#define NC3Z_PARALLEL_SLOTS_H

#include <stddef.h>

/*
 * Buffers of fewer bytes are better had from malloc(), and so are the first
 * ones, as far as there are not yet so many bytes: a huge page for each reader
 * of a few values would be too much.
 */
#define SLOTS_NBYTES_MIN ((size_t)64 << 10)
#define SLOTS_WORTH_NBYTES ((size_t)1 << 20)

#define SLOTS_NBYTES_MAX ((size_t)8 << 20)

/* Not shared by threads; zero-initialised it has no memory. */
struct slots {
	struct arena *arenas;
};

/*
 * Memory for a number of bytes between these two; '*capacity_ret' is what it
 * takes, which may be a third more.  NULL if out of memory.
 */
void *slots_take(struct slots *slots, size_t nbytes, size_t *capacity_ret);

/* Gives back what was taken. */
void slots_give(struct slots *slots, void *memory);

#endif
