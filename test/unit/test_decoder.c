/* SPDX-License-Identifier: MIT */
#include "check.h"
#include "read/decoder.h"

#include <pthread.h>

#define LARGE (DECODER_SPARED_NBYTES_MAX / 2 - ((size_t)1 << 20))
#define NTHREADS 4
#define NROUNDS 2000

static struct decoder *new_with(size_t nbytes)
{
	struct decoder *decoder = decoder_new();

	if (decoder && !buffer_reserve(&decoder->coder.filtered, nbytes))
		abort();
	return decoder;
}

/* The memory of a closed file serves the next one. */
static void test_spared(void)
{
	struct decoder *first = new_with(1000), *again;

	REQUIRE(first);
	decoder_free(first);
	again = decoder_new();
	CHECK(again == first);
	CHECK(again->coder.filtered.capacity >= 1000);
	decoder_free(again);
	decoder_free_spared();
	again = decoder_new();
	REQUIRE(again);
	CHECK(again->coder.filtered.capacity == 0);
	decoder_free(again);
	decoder_free_spared();
}

/* Of three that are nearly half of the bound, two are kept. */
static void test_bound(void)
{
	struct decoder *decoders[3];
	unsigned nspared = 0;

	for (unsigned i = 0; i < 3; i++) {
		decoders[i] = new_with(LARGE);
		REQUIRE(decoders[i]);
	}
	for (unsigned i = 0; i < 3; i++)
		decoder_free(decoders[i]);
	for (unsigned i = 0; i < 3; i++) {
		decoders[i] = decoder_new();
		REQUIRE(decoders[i]);
		nspared += decoders[i]->coder.filtered.capacity >= LARGE;
	}
	CHECK_EQ_U64(nspared, 2);
	for (unsigned i = 0; i < 3; i++)
		decoder_free(decoders[i]);
	decoder_free_spared();
}

/* One decoder is never with two threads. */
static void *use_decoders(void *argument)
{
	unsigned char mark = *(unsigned char *)argument;
	bool is_alone = true;

	for (unsigned i = 0; i < NROUNDS; i++) {
		struct decoder *decoder = new_with(64);
		uint8_t *data;

		if (!decoder)
			return NULL;
		data = decoder->coder.filtered.data;
		memset(data, mark, 64);
		for (unsigned k = 0; k < 64; k++)
			is_alone = is_alone && data[k] == mark;
		decoder_free(decoder);
	}
	return is_alone ? argument : NULL;
}

static void test_threads(void)
{
	pthread_t threads[NTHREADS];
	unsigned char marks[NTHREADS];

	for (unsigned i = 0; i < NTHREADS; i++) {
		marks[i] = (unsigned char)i;
		REQUIRE(pthread_create(&threads[i], NULL, use_decoders,
				       &marks[i]) == 0);
	}
	for (unsigned i = 0; i < NTHREADS; i++) {
		void *result;

		REQUIRE(pthread_join(threads[i], &result) == 0);
		CHECK(result == &marks[i]);
	}
	decoder_free_spared();
}

int main(void)
{
	RUN(test_spared);
	RUN(test_bound);
	RUN(test_threads);
	return check_report();
}
