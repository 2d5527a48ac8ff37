/* SPDX-License-Identifier: MIT */
/*
 * A ring of buffers between the caller, who fills them, and the thread, which
 * hashes them.  'filled' and 'hashed' count buffers; the caller works on
 * buffer 'filled', so at most HASHER_NBUFFERS - 1 others wait or are hashed.
 */
#include "parallel/hasher.h"

#include <pthread.h>
#include <stdlib.h>

#include "parallel/threads.h"

#define HASHER_NBUFFERS 8

struct hasher {
	struct sha256 *sha256;
	bool has_thread;
	pthread_t thread;
	uint8_t *buffers[HASHER_NBUFFERS];
	size_t nbytes[HASHER_NBUFFERS];
	pthread_mutex_t lock;
	pthread_cond_t changed;
	/* Under the lock: */
	uint64_t filled;
	uint64_t hashed;
	bool is_ending;
	int status; /* of the first failure */
};

static int hash_one(struct hasher *h, uint64_t number, struct nc3z_error *err)
{
	unsigned i = number % HASHER_NBUFFERS;

	return sha256_update(h->sha256, h->buffers[i], h->nbytes[i], err);
}

static void *hasher_work(void *argument)
{
	struct hasher *h = argument;

	pthread_mutex_lock(&h->lock);
	for (;;) {
		uint64_t number;
		int status;

		while (h->hashed == h->filled && !h->is_ending)
			pthread_cond_wait(&h->changed, &h->lock);
		if (h->hashed == h->filled)
			break;
		number = h->hashed;
		pthread_mutex_unlock(&h->lock);
		status = hash_one(h, number, NULL);
		pthread_mutex_lock(&h->lock);
		if (h->status == NC3Z_OK)
			h->status = status;
		h->hashed++;
		pthread_cond_signal(&h->changed);
	}
	pthread_mutex_unlock(&h->lock);
	return NULL;
}

static int start(struct hasher *h, bool has_thread, struct nc3z_error *err)
{
	unsigned nbuffers = has_thread ? HASHER_NBUFFERS : 1;

	h->sha256 = sha256_new();
	if (!h->sha256)
		return error_set_memory(err);
	for (unsigned i = 0; i < nbuffers; i++) {
		h->buffers[i] = malloc(HASHER_BUFFER_NBYTES);
		if (!h->buffers[i])
			return error_set_memory(err);
	}
	h->has_thread = has_thread && threads_start(&h->thread, hasher_work, h);
	return NC3Z_OK;
}

int hasher_new(bool has_thread, struct hasher **hasher_ret,
	       struct nc3z_error *err)
{
	struct hasher *h = calloc(1, sizeof(*h));
	int status;

	if (!h)
		return error_set_memory(err);
	pthread_mutex_init(&h->lock, NULL);
	pthread_cond_init(&h->changed, NULL);
	status = start(h, has_thread, err);
	if (status != NC3Z_OK)
		hasher_free(h);
	else
		*hasher_ret = h;
	return status;
}

uint8_t *hasher_buffer(struct hasher *h)
{
	uint64_t filled;

	if (!h->has_thread)
		return h->buffers[0];
	pthread_mutex_lock(&h->lock);
	while (h->filled - h->hashed == HASHER_NBUFFERS)
		pthread_cond_wait(&h->changed, &h->lock);
	filled = h->filled;
	pthread_mutex_unlock(&h->lock);
	return h->buffers[filled % HASHER_NBUFFERS];
}

int hasher_put(struct hasher *h, size_t nbytes, struct nc3z_error *err)
{
	if (!h->has_thread)
		return sha256_update(h->sha256, h->buffers[0], nbytes, err);
	pthread_mutex_lock(&h->lock);
	h->nbytes[h->filled % HASHER_NBUFFERS] = nbytes;
	h->filled++;
	pthread_cond_signal(&h->changed);
	pthread_mutex_unlock(&h->lock);
	return NC3Z_OK;
}

int hasher_end(struct hasher *h, uint8_t digest[SHA256_NBYTES],
	       struct nc3z_error *err)
{
	pthread_mutex_lock(&h->lock);
	while (h->has_thread && h->hashed != h->filled)
		pthread_cond_wait(&h->changed, &h->lock);
	pthread_mutex_unlock(&h->lock);
	if (h->status != NC3Z_OK)
		return error_set_memory(err);
	return sha256_final(h->sha256, digest, err);
}

void hasher_free(struct hasher *h)
{
	if (!h)
		return;
	if (h->has_thread) {
		pthread_mutex_lock(&h->lock);
		h->is_ending = true;
		pthread_cond_signal(&h->changed);
		pthread_mutex_unlock(&h->lock);
		pthread_join(h->thread, NULL);
	}
	for (unsigned i = 0; i < HASHER_NBUFFERS; i++)
		free(h->buffers[i]);
	sha256_free(h->sha256);
	pthread_cond_destroy(&h->changed);
	pthread_mutex_destroy(&h->lock);
	free(h);
}
