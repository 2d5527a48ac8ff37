/* SPDX-License-Identifier: MIT */
/*
 * The last bytes of a run that is written or read once: what went by less than
 * LOOK_BACK_NBYTES ago can be had again.  Takes as much memory as there are
 * such bytes.
 */
#ifndef NC3Z_BASE_LOOK_BACK_H
#define NC3Z_BASE_LOOK_BACK_H

#include "base/memory.h"

#define LOOK_BACK_NBYTES ((size_t)1 << 25)

/* Zero-initialised it is empty. */
struct look_back {
	uint8_t *data; /* a ring that begins with the byte at 'first' */
	size_t capacity;
	uint64_t first;
	uint64_t begin; /* of what is kept */
	uint64_t end;
};

/*
 * Appends bytes that begin at 'offset': what is kept, if anything, ends there.
 * False if out of memory, with nothing appended.
 */
bool look_back_append(struct look_back *l, uint64_t offset, const void *data,
		      size_t nbytes);

/* Copies bytes from 'offset' on; false if some of them are not kept. */
bool look_back_get(const struct look_back *l, uint64_t offset, void *data,
		   size_t nbytes);

void look_back_release(struct look_back *l);

#endif
