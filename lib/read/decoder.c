/* SPDX-License-Identifier: MIT */
#include "read/decoder.h"

#include <pthread.h>
#include <stdlib.h>

/* Codec contexts, about. */
#define CONTEXTS_NBYTES ((size_t)256 << 10)

/*
 * Only ever tried: a program may have forked while another thread was in here,
 * and a new decoder is always to be had.
 */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct decoder *spared;
static size_t spared_nbytes;

static size_t decoder_nbytes(const struct decoder *decoder)
{
	return CONTEXTS_NBYTES + block_coder_nbytes(&decoder->coder) +
	       decoder->fetched.record.capacity;
}

static void destroy(struct decoder *decoder)
{
	block_coder_release(&decoder->coder);
	buffer_release(&decoder->fetched.record);
	free(decoder);
}

struct decoder *decoder_new(void)
{
	struct decoder *decoder = NULL;

	if (pthread_mutex_trylock(&lock) == 0) {
		decoder = spared;
		if (decoder) {
			spared = decoder->next;
			spared_nbytes -= decoder_nbytes(decoder);
		}
		pthread_mutex_unlock(&lock);
	}
	return decoder ? decoder : calloc(1, sizeof(*decoder));
}

void decoder_free(struct decoder *decoder)
{
	size_t nbytes = decoder_nbytes(decoder);
	bool is_spared = false;

	if (pthread_mutex_trylock(&lock) == 0) {
		is_spared = nbytes <= DECODER_SPARED_NBYTES_MAX - spared_nbytes;
		if (is_spared) {
			decoder->next = spared;
			spared = decoder;
			spared_nbytes += nbytes;
		}
		pthread_mutex_unlock(&lock);
	}
	if (!is_spared)
		destroy(decoder);
}

__attribute__((destructor)) void decoder_free_spared(void)
{
	struct decoder *decoder;

	if (pthread_mutex_trylock(&lock) != 0)
		return;
	while ((decoder = spared)) {
		spared = decoder->next;
		destroy(decoder);
	}
	spared_nbytes = 0;
	pthread_mutex_unlock(&lock);
}
