/* SPDX-License-Identifier: MIT */
#include "base/look_back.h"

#include <stdlib.h>
#include <string.h>

#include "base/sizes.h"

#define CAPACITY_MIN ((size_t)1 << 16)

/* Where the byte of an offset is, and how many follow before the ring ends. */
static uint8_t *place_of(const struct look_back *l, uint64_t offset,
			 size_t *left_ret)
{
	size_t at = (size_t)((offset - l->first) % l->capacity);

	*left_ret = l->capacity - at;
	return l->data + at;
}

/* The ring has gone round only where it has all the room that it may have. */
static bool make_room(struct look_back *l, size_t nbytes)
{
	size_t capacity = l->capacity ? l->capacity : CAPACITY_MIN;
	void *grown;

	if (l->capacity >= nbytes)
		return true;
	while (capacity < nbytes)
		capacity *= 2;
	grown = realloc(l->data, capacity);
	if (!grown)
		return false;
	l->data = grown;
	l->capacity = capacity;
	return true;
}

bool look_back_append(struct look_back *l, uint64_t offset, const void *data,
		      size_t nbytes)
{
	size_t last = (size_t)size_min(nbytes, LOOK_BACK_NBYTES);
	size_t kept, left, n;
	uint8_t *at;

	if (nbytes == 0)
		return true;
	if (l->begin == l->end)
		l->first = l->begin = l->end = offset;
	kept = (size_t)size_min(l->end - l->begin, LOOK_BACK_NBYTES - last);
	if (!make_room(l, kept + last))
		return false;
	l->end = offset + nbytes;
	l->begin = l->end - last - kept;
	at = place_of(l, l->end - last, &left);
	n = (size_t)size_min(last, left);
	data = (const uint8_t *)data + (nbytes - last);
	memcpy(at, data, n);
	memcpy(l->data, (const uint8_t *)data + n, last - n);
	return true;
}

bool look_back_get(const struct look_back *l, uint64_t offset, void *data,
		   size_t nbytes)
{
	const uint8_t *at;
	size_t left, n;

	if (offset < l->begin || offset > l->end || nbytes > l->end - offset)
		return false;
	if (nbytes == 0)
		return true;
	at = place_of(l, offset, &left);
	n = (size_t)size_min(nbytes, left);
	memcpy(data, at, n);
	memcpy((uint8_t *)data + n, l->data, nbytes - n);
	return true;
}

void look_back_release(struct look_back *l)
{
	free(l->data);
	*l = (struct look_back){ 0 };
}
