/* SPDX-License-Identifier: MIT */
#include <pthread.h>

#include "check.h"
#include "compat/table.h"
#include "nc3z_compat.h"

#define MANY 3000

/* Files are never looked at by the table. */
static struct nc3z_file *fake_file(size_t number)
{
	static char places[1 << 16];

	return (struct nc3z_file *)(void *)&places[number];
}

static int add(size_t number)
{
	struct compat_entry entry = { .file = fake_file(number),
				      .mode = (int)number };
	int ncid = -1;

	CHECK(compat_add(&entry, &ncid) == NC_NOERR);
	CHECK(ncid > 0);
	return ncid;
}

static bool finds(int ncid, size_t number)
{
	struct compat_entry *entry;
	struct nc3z_file *file;

	return compat_find(ncid, &entry) == NC_NOERR &&
	       entry->file == fake_file(number) && entry->mode == (int)number &&
	       compat_file(ncid, &file) == NC_NOERR &&
	       file == fake_file(number);
}

static bool removes(int ncid, size_t number)
{
	struct compat_entry entry;

	return compat_remove(ncid, &entry) == NC_NOERR &&
	       entry.file == fake_file(number);
}

static bool is_bad(int ncid)
{
	struct compat_entry entry, *found;
	struct nc3z_file *file;

	return compat_find(ncid, &found) == NC_EBADID &&
	       compat_file(ncid, &file) == NC_EBADID &&
	       compat_remove(ncid, &entry) == NC_EBADID;
}

static void test_never_given(void)
{
	CHECK(is_bad(0));
	CHECK(is_bad(-1));
	CHECK(is_bad(1));
	CHECK(is_bad(INT32_MAX));
	CHECK(is_bad(INT32_MIN));
	CHECK(is_bad(255));
	CHECK(is_bad(256));
}

static void test_many(void)
{
	static int ncids[MANY];

	for (size_t i = 0; i < MANY; i++)
		ncids[i] = add(i);
	for (size_t i = 0; i < MANY; i++)
		CHECK(finds(ncids[i], i));
	for (size_t i = 0; i < MANY; i += 2)
		CHECK(removes(ncids[i], i));
	for (size_t i = 0; i < MANY; i++)
		CHECK(i % 2 ? finds(ncids[i], i) : is_bad(ncids[i]));
	for (size_t i = 1; i < MANY; i += 2)
		CHECK(removes(ncids[i], i));
}

/* Bits of IDs that were given. */
static bool note(uint8_t *seen, int ncid)
{
	bool is_new = !(seen[ncid / 8] & 1u << ncid % 8);

	seen[ncid / 8] |= (uint8_t)(1u << ncid % 8);
	return is_new;
}

static void test_not_again_soon(void)
{
	uint8_t *seen = calloc(1, (size_t)1 << 28);
	int last = 0;

	REQUIRE(seen);
	for (size_t i = 0; i < 500000; i++) {
		int ncid = add(7);

		if (!CHECK(note(seen, ncid)) || !CHECK(is_bad(last)))
			break;
		CHECK(removes(ncid, 7));
		last = ncid;
	}
	free(seen);
}

static void *open_and_close(void *argument)
{
	size_t number = *(size_t *)argument;
	size_t nwrong = 0;
	int ncids[5];

	for (int round = 0; round < 4000; round++) {
		struct compat_entry entry = { .file = fake_file(number),
					      .mode = (int)number };

		for (int i = 0; i < 5; i++)
			nwrong += compat_add(&entry, &ncids[i]) != NC_NOERR;
		for (int i = 0; i < 5; i++)
			nwrong += !finds(ncids[i], number);
		for (int i = 0; i < 5; i++)
			nwrong += !removes(ncids[i], number);
		for (int i = 0; i < 5; i++)
			nwrong += finds(ncids[i], number);
	}
	*(size_t *)argument = nwrong;
	return NULL;
}

static void test_threads(void)
{
	pthread_t threads[4];
	size_t numbers[4];

	for (size_t i = 0; i < 4; i++) {
		numbers[i] = 100 + i;
		REQUIRE(pthread_create(&threads[i], NULL, open_and_close,
				       &numbers[i]) == 0);
	}
	for (size_t i = 0; i < 4; i++) {
		pthread_join(threads[i], NULL);
		CHECK_EQ_U64(numbers[i], 0);
	}
}

int main(void)
{
	RUN(test_never_given);
	RUN(test_many);
	RUN(test_not_again_soon);
	RUN(test_threads);
	return check_report();
}
