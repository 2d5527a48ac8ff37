/* SPDX-License-Identifier: MIT */
/* Text as an input: put together from words that mean something. */
#ifndef FUZZ_TEXT_INPUT_H
#define FUZZ_TEXT_INPUT_H

#include "fuzz.h"

struct text_words {
	const char *const *list;
	size_t count;
};

/* A copy with a NUL behind it, to be freed; a NUL inside ends it, too. */
char *text_copy(const uint8_t *data, size_t nbytes);

/*
 * The text up to the next newline or the end, as such a copy; NULL behind the
 * last one.
 */
char *text_take_line(struct fuzz_bytes *in);

/* Some words one after the other; how many bytes they have. */
size_t text_random(const struct text_words *words, uint64_t *state,
		   struct fuzz_room room);

/* Puts in a word, or does what libFuzzer does; returns the new length. */
size_t text_mutate(const struct text_words *words, struct fuzz_room room,
		   size_t nbytes, uint64_t seed);

#endif
