/* SPDX-License-Identifier: MIT */
/*
 * What the fuzz targets have in common.
 *
 * A target is one .c file that defines 'fuzz_target'.  fuzz.c makes a program
 * of libFuzzer of it (NC3Z_FUZZ); with standalone.c in addition it
 * becomes an ordinary test that runs over files.  A finding ends the program by
 * abort(): a broken promise, a sanitizer's message, or too much memory in
 * one run.
 */
#ifndef FUZZ_FUZZ_H
#define FUZZ_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nc3z.h"

/* What targets read into, write to and make at most. */
#define FUZZ_NBYTES_MAX ((size_t)1 << 20)

/* A place for an input. */
struct fuzz_room {
	uint8_t *data;
	size_t nbytes; /* how much there is room for */
};

struct fuzz_target {
	/* More memory than this in one run is a finding. */
	size_t memory_nbytes_max;

	/* One run; does not return after a finding. */
	void (*run)(const uint8_t *data, size_t nbytes);

	/*
	 * Makes an input from a classic file; returns its length, 0 if there
	 * is none.  The same seed gives the same input.  NULL: a classic file
	 * is an input.
	 */
	size_t (*from_classic)(const uint8_t *file, size_t file_nbytes,
			       uint64_t seed, struct fuzz_room room);

	/*
	 * Changes an input of 'nbytes' bytes that is not a classic file, in
	 * place; returns its new length.  NULL: as libFuzzer does.
	 */
	size_t (*mutate)(struct fuzz_room room, size_t nbytes, uint64_t seed);
};

extern const struct fuzz_target fuzz_target;

/* Bytes of an input that are taken one after the other. */
struct fuzz_bytes {
	const uint8_t *data;
	size_t nbytes; /* what is left */
};

/* The next one; 0 if none is left. */
uint8_t fuzz_take(struct fuzz_bytes *in);

/* The input that the target runs now. */
extern struct fuzz_bytes fuzz_current;

/* What libFuzzer calls, or standalone.c in its place. */
int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t nbytes);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t nbytes, size_t max_nbytes,
			       unsigned seed);
/* libFuzzer's own changes, or those of mutate.c. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t nbytes, size_t max_nbytes);
/* mutate.c: the same changes after the same seed. */
void fuzz_mutate_seed(uint64_t seed);

/* A promise that the code under test has to keep. */
#define FUZZ_CHECK(cond) \
	do { \
		if (!(cond)) \
			fuzz_fail(#cond, __FILE__, __LINE__); \
	} while (0)

_Noreturn void fuzz_fail(const char *text, const char *file, int line);

/* Whether the bytes begin like a classic file. */
bool fuzz_is_classic(const uint8_t *data, size_t nbytes);

/*
 * A copy of exactly that length in memory of its own, so that sanitizers see
 * every byte read beyond its end.
 */
uint8_t *fuzz_copy(const uint8_t *data, size_t nbytes);

/* The next number of a sequence; *state is the seed. */
uint64_t fuzz_random(uint64_t *state);

/* A number below 'limit', which is not 0. */
uint64_t fuzz_random_below(uint64_t *state, uint64_t limit);

#endif
