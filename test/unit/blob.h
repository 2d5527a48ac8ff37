/* SPDX-License-Identifier: MIT */
/*
 * Bytes that a test puts together.  Running out of memory ends the program, so
 * that tests need not care.
 */
#ifndef UNIT_BLOB_H
#define UNIT_BLOB_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Zero-initialised it is empty. */
struct blob {
	uint8_t *data;
	size_t nbytes;
	size_t capacity;
};

static inline void blob_release(struct blob *b)
{
	free(b->data);
	*b = (struct blob){ 0 };
}

/* Room for 'nbytes' more bytes, which count from now on. */
static inline uint8_t *blob_extend(struct blob *b, size_t nbytes)
{
	size_t wanted = b->nbytes + nbytes;

	if (wanted > b->capacity || !b->data) {
		b->capacity = wanted + b->capacity / 2 + 16;
		b->data = realloc(b->data, b->capacity);
		if (!b->data)
			abort();
	}
	b->nbytes = wanted;
	return b->data + wanted - nbytes;
}

static inline void blob_put(struct blob *b, const void *data, size_t nbytes)
{
	if (nbytes > 0)
		memcpy(blob_extend(b, nbytes), data, nbytes);
}

/* The last 'width' bytes of a number, the most significant first. */
static inline void blob_be(struct blob *b, uint64_t v, unsigned width)
{
	uint8_t *p = blob_extend(b, width);

	for (unsigned i = width; i-- > 0; v >>= 8)
		p[i] = (uint8_t)v;
}

/* The same, the least significant first. */
static inline void blob_le(struct blob *b, uint64_t v, unsigned width)
{
	uint8_t *p = blob_extend(b, width);

	for (unsigned i = 0; i < width; i++, v >>= 8)
		p[i] = (uint8_t)v;
}

static inline void blob_be32(struct blob *b, uint32_t v)
{
	blob_be(b, v, 4);
}

static inline void blob_fill(struct blob *b, uint8_t value, size_t nbytes)
{
	if (nbytes > 0)
		memset(blob_extend(b, nbytes), value, nbytes);
}

/* A copy in memory of just that size, so that sanitizers see its end. */
static inline uint8_t *copy_exactly(const void *data, size_t nbytes)
{
	uint8_t *copy = malloc(nbytes);

	if (!copy && nbytes > 0)
		abort();
	if (nbytes > 0)
		memcpy(copy, data, nbytes);
	return copy;
}

#endif
