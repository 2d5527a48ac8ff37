/* SPDX-License-Identifier: MIT */
/*
 * Allocation with checked products, and a buffer that grows up to a stated
 * maximum.  A number from a file never sizes an allocation: callers grow by
 * what they have read.
 */
#ifndef NC3Z_BASE_MEMORY_H
#define NC3Z_BASE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* count x size zeroed bytes (at least one), NULL if that cannot be had. */
void *memory_alloc(uint64_t count, size_t size);

/*
 * Makes room for one more element in an array of 'count' elements whose
 * capacity is '*capacity': grows by half, at least 8 elements.  'array' is the
 * address of the pointer to it.  False if that cannot be had, with the array as
 * it was.
 */
bool memory_room(void *array, size_t count, size_t *capacity, size_t size);

/* A growing run of bytes; zero-initialised it is empty. */
struct buffer {
	uint8_t *data;
	size_t nbytes;
	size_t capacity;
};

/* Ensures capacity for 'capacity' bytes in all; false if out of memory. */
bool buffer_reserve(struct buffer *b, size_t capacity);

/* Appends; false if out of memory, with nothing appended. */
bool buffer_append(struct buffer *b, const void *data, size_t data_nbytes);

/* Appends little-endian integers. */
bool buffer_u8(struct buffer *b, uint8_t v);
bool buffer_le32(struct buffer *b, uint32_t v);
bool buffer_le64(struct buffer *b, uint64_t v);

void buffer_release(struct buffer *b);

#endif
