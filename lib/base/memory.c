/* SPDX-License-Identifier: MIT */
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/sizes.h"

void *memory_alloc(uint64_t count, size_t size)
{
	if (count > SIZE_MAX)
		return NULL;
	if (count == 0)
		count = 1;
	return calloc((size_t)count, size);
}

bool memory_room(void *array, size_t count, size_t *capacity, size_t size)
{
	uint64_t wanted, nbytes;
	void *list;

	if (count < *capacity)
		return true;
	wanted = (uint64_t)*capacity + *capacity / 2 + 8;
	if (!size_mul(wanted, size, &nbytes) || nbytes > SIZE_MAX)
		return false;
	memcpy(&list, array, sizeof(list));
	list = realloc(list, (size_t)nbytes);
	if (!list)
		return false;
	memcpy(array, &list, sizeof(list));
	*capacity = (size_t)wanted;
	return true;
}

bool buffer_reserve(struct buffer *b, size_t capacity)
{
	uint8_t *grown;

	if (capacity <= b->capacity)
		return true;
	if (capacity < b->capacity + b->capacity / 2)
		capacity = b->capacity + b->capacity / 2;
	grown = realloc(b->data, capacity);
	if (!grown)
		return false;
	b->data = grown;
	b->capacity = capacity;
	return true;
}

bool buffer_append(struct buffer *b, const void *data, size_t data_nbytes)
{
	if (data_nbytes > SIZE_MAX - b->nbytes ||
	    !buffer_reserve(b, b->nbytes + data_nbytes))
		return false;
	if (data_nbytes)
		memcpy(b->data + b->nbytes, data, data_nbytes);
	b->nbytes += data_nbytes;
	return true;
}

bool buffer_u8(struct buffer *b, uint8_t v)
{
	return buffer_append(b, &v, 1);
}

bool buffer_le32(struct buffer *b, uint32_t v)
{
	uint8_t bytes[4];

	store_le32(bytes, v);
	return buffer_append(b, bytes, sizeof(bytes));
}

bool buffer_le64(struct buffer *b, uint64_t v)
{
	uint8_t bytes[8];

	store_le64(bytes, v);
	return buffer_append(b, bytes, sizeof(bytes));
}

void buffer_release(struct buffer *b)
{
	free(b->data);
	*b = (struct buffer){ 0 };
}
