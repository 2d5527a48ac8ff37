/* SPDX-License-Identifier: MIT */
#include "text_input.h"

#include <stdlib.h>
#include <string.h>

#define WORDS_MAX 14

char *text_copy(const uint8_t *data, size_t nbytes)
{
	size_t n = 0;
	char *text;

	while (n < nbytes && data[n] != '\0')
		n++;
	text = malloc(n + 1);
	FUZZ_CHECK(text);
	if (n > 0)
		memcpy(text, data, n);
	text[n] = '\0';
	return text;
}

char *text_take_line(struct fuzz_bytes *in)
{
	const uint8_t *line = in->data;
	size_t n = 0;

	if (in->nbytes == 0)
		return NULL;
	while (in->nbytes > 0) {
		if (fuzz_take(in) == '\n')
			break;
		n++;
	}
	return text_copy(line, n);
}

static const char *word(const struct text_words *words, uint64_t *state)
{
	return words->list[fuzz_random_below(state, words->count)];
}

size_t text_random(const struct text_words *words, uint64_t *state,
		   struct fuzz_room room)
{
	uint64_t nwords = 1 + fuzz_random_below(state, WORDS_MAX);
	size_t nbytes = 0;

	while (nwords-- > 0) {
		const char *w = word(words, state);
		size_t n = strlen(w);

		if (n > room.nbytes - nbytes)
			break;
		memcpy(room.data + nbytes, w, n);
		nbytes += n;
	}
	return nbytes;
}

size_t text_mutate(const struct text_words *words, struct fuzz_room room,
		   size_t nbytes, uint64_t seed)
{
	const char *w = word(words, &seed);
	size_t n = strlen(w), at = (size_t)fuzz_random_below(&seed, nbytes + 1);

	if (fuzz_random_below(&seed, 2) == 0 || n > room.nbytes - nbytes)
		return LLVMFuzzerMutate(room.data, nbytes, room.nbytes);
	memmove(room.data + at + n, room.data + at, nbytes - at);
	memcpy(room.data + at, w, n);
	return nbytes + n;
}
