/* SPDX-License-Identifier: MIT */
#include "parallel/slots.h"

#include "check.h"

#define NTAKEN 40

struct taken {
	uint8_t *memory;
	size_t nbytes;
};

/* Memory that others do not write to. */
static void fill(const struct taken *t, size_t i)
{
	memset(t->memory, (int)i + 1, t->nbytes);
}

static bool is_filled(const struct taken *t, size_t i)
{
	for (size_t k = 0; k < t->nbytes; k += 4093)
		if (t->memory[k] != i + 1)
			return false;
	return t->memory[t->nbytes - 1] == i + 1;
}

static size_t random_size(uint64_t *seed)
{
	size_t range = check_random_below(seed, 10) ?
			       SLOTS_NBYTES_MIN * 5 :
			       SLOTS_NBYTES_MAX - SLOTS_NBYTES_MIN;

	return SLOTS_NBYTES_MIN + (size_t)check_random_below(seed, range + 1);
}

static void test_random(void)
{
	struct taken taken[NTAKEN] = { { NULL, 0 } };
	struct slots slots = { NULL };
	uint64_t seed = 61;

	for (int n = 0; n < 600; n++) {
		size_t i = (size_t)check_random_below(&seed, NTAKEN);
		size_t capacity = 0;
		struct taken *t = &taken[i];

		if (t->memory) {
			CHECK(is_filled(t, i));
			slots_give(&slots, t->memory);
			t->memory = NULL;
			continue;
		}
		t->nbytes = random_size(&seed);
		t->memory = slots_take(&slots, t->nbytes, &capacity);
		REQUIRE(t->memory);
		CHECK((uintptr_t)t->memory % 64 == 0);
		CHECK(capacity >= t->nbytes);
		CHECK(capacity <= t->nbytes / 3 * 4 + 64);
		fill(t, i);
	}
	for (size_t i = 0; i < NTAKEN; i++)
		if (taken[i].memory) {
			CHECK(is_filled(&taken[i], i));
			slots_give(&slots, taken[i].memory);
		}
	CHECK(!slots.arenas);
}

/* Equal ones lie side by side. */
static void test_neighbours(void)
{
	struct slots slots = { NULL };
	size_t nbytes = (size_t)1 << 20, capacity;
	uint8_t *a = slots_take(&slots, nbytes, &capacity);
	uint8_t *b = slots_take(&slots, nbytes, &capacity);

	CHECK(b == a + nbytes);
	CHECK_EQ_U64(capacity, nbytes);
	slots_give(&slots, a);
	CHECK(slots_take(&slots, nbytes - 100, &capacity) == a);
	slots_give(&slots, a);
	slots_give(&slots, b);
	CHECK(!slots.arenas);
}

int main(void)
{
	RUN(test_random);
	RUN(test_neighbours);
	return check_report();
}
