/* SPDX-License-Identifier: MIT */
#include "base/look_back.h"
#include "check.h"
#include "blob.h"

static uint8_t byte_at(uint64_t offset)
{
	return (uint8_t)(offset * UINT64_C(0x9e3779b97f4a7c15) >> 56);
}

static bool is_there(const struct look_back *l, uint64_t offset, size_t nbytes)
{
	static uint8_t got[LOOK_BACK_NBYTES];
	bool is_right = look_back_get(l, offset, got, nbytes);

	for (size_t i = 0; is_right && i < nbytes; i++)
		if (got[i] != byte_at(offset + i)) {
			CHECK(got[i] == byte_at(offset + i));
			return false;
		}
	return is_right;
}

/* Runs of many lengths: the last bytes are there, and none before them. */
static void test_runs(void)
{
	static uint8_t run[LOOK_BACK_NBYTES + 5000];
	static const size_t longest[] = { 100, 70000, 5 << 20, sizeof(run) };
	uint64_t seed = 1, first = 12345, end = first;
	struct look_back l = { 0 };

	CHECK(!look_back_get(&l, 0, run, 1));
	for (int i = 0; i < 400; i++) {
		size_t n = (size_t)check_random_below(
			&seed, longest[i < 390 ? i / 130 : 3]);
		uint64_t begin;

		for (size_t k = 0; k < n; k++)
			run[k] = byte_at(end + k);
		CHECK(look_back_append(&l, end, run, n));
		end += n;
		begin = end - first > LOOK_BACK_NBYTES ?
				end - LOOK_BACK_NBYTES :
				first;
		if (i % 40 == 0)
			CHECK(is_there(&l, begin, (size_t)(end - begin)));
		CHECK(is_there(&l, end - n / 2, n / 2));
		CHECK(!look_back_get(&l, begin - 1, run, 1));
		CHECK(!look_back_get(&l, end, run, 1));
		CHECK(!look_back_get(&l, end - 1, run, 2));
		CHECK(is_there(&l, begin, 1) == (end > begin));
		CHECK(l.capacity <= LOOK_BACK_NBYTES);
	}
	look_back_release(&l);
	CHECK(l.data == NULL);
}

int main(void)
{
	RUN(test_runs);
	return check_report();
}
