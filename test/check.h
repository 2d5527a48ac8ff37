/* SPDX-License-Identifier: MIT */
/*
 * check.h - the checks of the unit tests.
 *
 * A test program is one .c file:
 *
 *	static void test_empty(void)
 *	{
 *		CHECK_EQ_U64(count(""), 0);
 *	}
 *
 *	int main(void)
 *	{
 *		RUN(test_empty);
 *		return check_report();
 *	}
 *
 * A failed CHECK prints where and why and goes on; a failed REQUIRE also
 * leaves its test function, which must return void.
 */
#ifndef CHECK_H
#define CHECK_H

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(cond) check_true(!!(cond), #cond, __FILE__, __LINE__)
#define CHECK_EQ_U64(a, b) \
	check_eq_u64((a), (b), #a " == " #b, __FILE__, __LINE__)
#define CHECK_STR_EQ(a, b) \
	check_str_eq((a), (b), #a " == " #b, __FILE__, __LINE__)
#define CHECK_MEM_EQ(a, b, nbytes) \
	check_mem_eq((a), (b), (nbytes), #a " == " #b, __FILE__, __LINE__)
#define REQUIRE(cond) \
	do { \
		if (!CHECK(cond)) \
			return; \
	} while (0)
#define RUN(test_fn) check_run(test_fn, #test_fn)

/* One for all files of a program: those that check need not have main(). */
__attribute__((weak)) struct check_state {
	unsigned long nchecks;
	unsigned long nfailed;
	const char *test;
} check_state = { 0, 0, "main" };

/* Counts a check; true if it held, else prints the start of a message. */
static inline bool check_count(bool held, const char *text, const char *file,
			       int line)
{
	check_state.nchecks++;
	if (held)
		return true;
	check_state.nfailed++;
	printf("%s:%d: %s: not so: %s", file, line, check_state.test, text);
	return false;
}

static inline bool check_true(bool held, const char *text, const char *file,
			      int line)
{
	if (!check_count(held, text, file, line))
		putchar('\n');
	return held;
}

static inline bool check_eq_u64(uint64_t a, uint64_t b, const char *text,
				const char *file, int line)
{
	if (check_count(a == b, text, file, line))
		return true;
	printf(": %" PRIu64 " (0x%" PRIx64 ") and %" PRIu64 " (0x%" PRIx64
	       ")\n",
	       a, a, b, b);
	return false;
}

static inline bool check_str_eq(const char *a, const char *b, const char *text,
				const char *file, int line)
{
	bool same = a && b ? strcmp(a, b) == 0 : a == b;

	if (check_count(same, text, file, line))
		return true;
	printf(": \"%s\" and \"%s\"\n", a ? a : "(null)", b ? b : "(null)");
	return false;
}

static inline bool check_mem_eq(const void *a, const void *b, size_t nbytes,
				const char *text, const char *file, int line)
{
	const unsigned char *p = a, *q = b;
	bool is_same = nbytes == 0 || memcmp(p, q, nbytes) == 0;
	size_t i = is_same ? nbytes : 0;

	while (i < nbytes && p[i] == q[i])
		i++;
	if (check_count(i == nbytes, text, file, line))
		return true;
	printf(": byte %zu of %zu: 0x%02x and 0x%02x\n", i, nbytes, p[i], q[i]);
	return false;
}

static inline void check_run(void (*test_fn)(void), const char *name)
{
	check_state.test = name;
	test_fn();
	check_state.test = "main";
}

/* Prints the totals; what main() returns.  A test without checks failed. */
static inline int check_report(void)
{
	printf("%lu checks, %lu failed\n", check_state.nchecks,
	       check_state.nfailed);
	if (check_state.nfailed || !check_state.nchecks)
		return EXIT_FAILURE;
	return EXIT_SUCCESS;
}

/* Ends the program as skipped (status 77), unless a check has failed. */
static inline void check_skip(const char *reason)
{
	printf("skipped: %s\n", reason);
	exit(check_state.nfailed ? EXIT_FAILURE : 77);
}

/*
 * The next number of a repeatable sequence (splitmix64); *state is the seed,
 * any value.
 */
static inline uint64_t check_random(uint64_t *state)
{
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

/* A number below 'limit', which is not 0; the slight bias does not matter. */
static inline uint64_t check_random_below(uint64_t *state, uint64_t limit)
{
	return check_random(state) % limit;
}

#endif
