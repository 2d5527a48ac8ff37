/* SPDX-License-Identifier: MIT */
#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#if defined(__SANITIZE_ADDRESS__)
#define HAS_ADDRESS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HAS_ADDRESS_SANITIZER 1
#endif
#endif

#if defined(__SANITIZE_THREAD__)
#define HAS_THREAD_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define HAS_THREAD_SANITIZER 1
#endif
#endif

struct fuzz_bytes fuzz_current;

void fuzz_fail(const char *text, const char *file, int line)
{
	fprintf(stderr, "%s:%d: not so: %s\n", file, line, text);
	abort();
}

bool fuzz_is_classic(const uint8_t *data, size_t nbytes)
{
	return nbytes >= 3 && memcmp(data, "CDF", 3) == 0;
}

uint8_t *fuzz_copy(const uint8_t *data, size_t nbytes)
{
	uint8_t *copy = malloc(nbytes ? nbytes : 1);

	FUZZ_CHECK(copy);
	if (nbytes)
		memcpy(copy, data, nbytes);
	return copy;
}

uint8_t fuzz_take(struct fuzz_bytes *in)
{
	if (in->nbytes == 0)
		return 0;
	in->nbytes--;
	return *in->data++;
}

/* splitmix64 */
uint64_t fuzz_random(uint64_t *state)
{
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

uint64_t fuzz_random_below(uint64_t *state, uint64_t limit)
{
	return fuzz_random(state) % limit;
}

/*
 * The limit on memory.  The address sanitizer reserves terabytes of address
 * space, so that a limit of the system is no use there: its hooks count.
 */
#if defined(HAS_ADDRESS_SANITIZER) && \
	__has_include(<sanitizer/allocator_interface.h>)

#include <sanitizer/allocator_interface.h>

static _Atomic long long live_nbytes;

static void on_malloc(const volatile void *p, size_t nbytes)
{
	(void)p;
	live_nbytes += (long long)nbytes;
	if (live_nbytes > (long long)fuzz_target.memory_nbytes_max) {
		live_nbytes = 0;
		fuzz_fail("memory within its limit", __FILE__, __LINE__);
	}
}

static void on_free(const volatile void *p)
{
	if (p)
		live_nbytes -= (long long)__sanitizer_get_allocated_size(
			(const void *)(uintptr_t)p);
}

static void limit_memory(void)
{
	FUZZ_CHECK(__sanitizer_install_malloc_and_free_hooks(on_malloc,
							     on_free) != 0);
}

static void begin_run(void)
{
	live_nbytes = 0;
}

#else

/* Allocations fail; targets take NC3Z_ENOMEM for a finding. */
static void limit_memory(void)
{
#if !defined(HAS_ADDRESS_SANITIZER) && !defined(HAS_THREAD_SANITIZER)
	struct rlimit limit = {
		.rlim_cur = fuzz_target.memory_nbytes_max,
		.rlim_max = fuzz_target.memory_nbytes_max,
	};

	FUZZ_CHECK(setrlimit(RLIMIT_AS, &limit) == 0);
#endif
}

static void begin_run(void)
{
}

#endif

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	limit_memory();
	return 0;
}

static void run(const uint8_t *data, size_t nbytes)
{
	fuzz_current = (struct fuzz_bytes){ data, nbytes };
	fuzz_target.run(data, nbytes);
	fuzz_current = (struct fuzz_bytes){ 0 };
}

/* A classic file stands for the input that is made from it. */
static void run_derived(const uint8_t *file, size_t file_nbytes)
{
	/* To have it anew each time would be slow with sanitizers. */
	static uint8_t data[FUZZ_NBYTES_MAX];
	struct fuzz_room room = { .data = data, .nbytes = sizeof(data) };
	size_t n = fuzz_target.from_classic(file, file_nbytes, 0, room);
	uint8_t *exact = fuzz_copy(data, n);

	run(exact, n);
	free(exact);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t nbytes)
{
	begin_run();
	if (fuzz_target.from_classic && fuzz_is_classic(data, nbytes))
		run_derived(data, nbytes);
	else
		run(data, nbytes);
	return 0;
}

/* Puts what is made from a classic file in its place; 0 if nothing is. */
static size_t derive(struct fuzz_room room, size_t nbytes, uint64_t seed)
{
	uint8_t *file = fuzz_copy(room.data, nbytes);
	size_t n = fuzz_target.from_classic(file, nbytes, seed, room);

	free(file);
	return n;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t nbytes, size_t max_nbytes,
			       unsigned seed)
{
	struct fuzz_room room = { .data = data, .nbytes = max_nbytes };
	size_t n;

	if (fuzz_target.from_classic && fuzz_is_classic(data, nbytes)) {
		n = seed % 8 != 0 ? derive(room, nbytes, seed) : 0;
		if (n > 0)
			return n;
	} else if (fuzz_target.mutate && nbytes > 0) {
		return fuzz_target.mutate(room, nbytes, seed);
	}
	return LLVMFuzzerMutate(data, nbytes, max_nbytes);
}
