/* SPDX-License-Identifier: MIT */
#include "mount/ahead.h"

#include <stdlib.h>
#include <string.h>

/* Reads may overtake each other by so much; reading ahead begins after this. */
#define NEAR_NBYTES (UINT64_C(1) << 20)

void ahead_init(struct ahead *ahead)
{
	*ahead = (struct ahead){ .data = NULL };
	pthread_mutex_init(&ahead->lock, NULL);
}

void ahead_release(struct ahead *ahead)
{
	free(ahead->data);
	pthread_mutex_destroy(&ahead->lock);
}

void ahead_clear(struct ahead *ahead)
{
	pthread_mutex_lock(&ahead->lock);
	free(ahead->data);
	ahead->data = NULL;
	ahead->nbytes = 0;
	ahead->has_end = false;
	pthread_mutex_unlock(&ahead->lock);
}

/* With the lock, as the following. */
static bool take_bytes(const struct ahead *a, const struct archive_bytes *bytes,
		       size_t *nbytes_ret)
{
	uint64_t end = a->offset + a->nbytes;
	uint64_t left;

	if (a->nbytes == 0 || bytes->offset < a->offset || bytes->offset > end)
		return false;
	left = end - bytes->offset;
	if (left < bytes->nbytes && !a->has_end)
		return false;
	*nbytes_ret = left < bytes->nbytes ? (size_t)left : bytes->nbytes;
	memcpy(bytes->data, a->data + (bytes->offset - a->offset), *nbytes_ret);
	return true;
}

/* Whether it is worth while to read more than is wanted now. */
static bool is_in_order(struct ahead *a, const struct archive_bytes *bytes)
{
	uint64_t end = bytes->offset + bytes->nbytes;
	bool is_near = bytes->offset + NEAR_NBYTES >= a->next &&
		       bytes->offset <= a->next + NEAR_NBYTES;

	a->inorder = is_near ? a->inorder + bytes->nbytes : 0;
	a->next = is_near && a->next > end ? a->next : end;
	/* What was overtaken is not the beginning of what comes. */
	return a->inorder > NEAR_NBYTES && bytes->nbytes <= NEAR_NBYTES &&
	       (a->nbytes == 0 || bytes->offset >= a->offset);
}

/* What is wrong ahead of what is wanted does not matter. */
static void fill_ahead(struct ahead *a, ahead_read_fn *read, void *self,
		       uint64_t offset)
{
	struct nc3z_error unsaid;
	struct archive_bytes more = { .nbytes = AHEAD_NBYTES };

	a->nbytes = 0;
	a->has_end = false;
	if (!a->data)
		a->data = malloc(AHEAD_NBYTES);
	if (!a->data)
		return;
	more.data = a->data;
	more.offset = offset;
	if (read(self, &more, &a->nbytes, &unsaid) != NC3Z_OK) {
		a->nbytes = 0;
		a->inorder = 0;
		return;
	}
	a->offset = offset;
	a->has_end = a->nbytes < AHEAD_NBYTES;
}

int ahead_read(struct ahead *ahead, ahead_read_fn *read, void *self,
	       const struct archive_bytes *bytes, size_t *nbytes_ret,
	       struct nc3z_error *err)
{
	bool is_taken;

	pthread_mutex_lock(&ahead->lock);
	is_taken = take_bytes(ahead, bytes, nbytes_ret);
	if (is_in_order(ahead, bytes) && !is_taken) {
		fill_ahead(ahead, read, self, bytes->offset);
		is_taken = take_bytes(ahead, bytes, nbytes_ret);
	}
	pthread_mutex_unlock(&ahead->lock);
	return is_taken ? NC3Z_OK : read(self, bytes, nbytes_ret, err);
}
