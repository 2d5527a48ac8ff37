/* SPDX-License-Identifier: MIT */
#include "base/memory.h"
#include "check.h"

static void test_alloc_is_zeroed(void)
{
	static const uint8_t zeros[35 * 8];
	uint8_t *p = memory_alloc(35, 8);

	REQUIRE(p);
	CHECK_MEM_EQ(p, zeros, sizeof(zeros));
	memset(p, 1, sizeof(zeros));
	free(p);
}

static void test_alloc_of_nothing(void)
{
	uint32_t *p = memory_alloc(0, sizeof(*p));

	REQUIRE(p);
	CHECK_EQ_U64(*p, 0); /* there is room for one */
	free(p);
}

static void test_alloc_that_cannot_be(void)
{
	CHECK(memory_alloc(UINT64_MAX, 8) == NULL);
	CHECK(memory_alloc(UINT64_MAX / 8 + 2, 8) == NULL);
	CHECK(memory_alloc(UINT64_MAX / 2, 2) == NULL);
	CHECK(memory_alloc((uint64_t)SIZE_MAX, 1) == NULL);
}

/* As many steps as a growth by half needs, and every element kept. */
static void test_grow(void)
{
	uint64_t *list = NULL;
	size_t count = 0, capacity = 0, nsteps = 0;

	while (count < 100000) {
		size_t before = capacity;

		REQUIRE(memory_room(&list, count, &capacity, sizeof(*list)));
		CHECK(capacity > count);
		if (capacity != before) {
			CHECK_EQ_U64(count, before);
			CHECK(capacity >= before + 8);
			CHECK(capacity >= before + before / 2);
			nsteps++;
		}
		list[count] = count * 3;
		count++;
	}
	CHECK(nsteps < 30);
	for (size_t i = 0; i < count; i++)
		if (!CHECK(list[i] == i * 3))
			break;
	free(list);
}

static void test_grow_too_large(void)
{
	uint8_t one = 7, *list = &one;
	size_t capacity = SIZE_MAX / 16;

	CHECK(!memory_room(&list, capacity, &capacity, 16));
	CHECK_EQ_U64(capacity, SIZE_MAX / 16);
	CHECK(list == &one);
}

static void test_buffer_appends(void)
{
	struct buffer b = { 0 };
	uint64_t seed = 2;
	uint8_t expected[4096];
	size_t n = 0;

	while (n < sizeof(expected) - 100) {
		size_t length = check_random_below(&seed, 100);

		for (size_t i = 0; i < length; i++)
			expected[n + i] = (uint8_t)check_random(&seed);
		REQUIRE(buffer_append(&b, expected + n, length));
		n += length;
		CHECK_EQ_U64(b.nbytes, n);
		CHECK(b.capacity >= n);
	}
	CHECK_MEM_EQ(b.data, expected, n);
	buffer_release(&b);
	CHECK(b.data == NULL && b.nbytes == 0 && b.capacity == 0);
	buffer_release(&b);
}

static void test_buffer_integers(void)
{
	struct buffer b = { 0 };

	CHECK(buffer_u8(&b, 0x81));
	CHECK(buffer_le32(&b, 0x85040302));
	CHECK(buffer_le64(&b, UINT64_C(0x8d0c0b0a09080706)));
	CHECK_EQ_U64(b.nbytes, 13);
	CHECK_MEM_EQ(b.data,
		     "\x81\x02\x03\x04\x85\x06\x07\x08\x09\x0a\x0b\x0c\x8d",
		     13);
	buffer_release(&b);
}

static void test_buffer_reserve(void)
{
	struct buffer b = { 0 };
	size_t capacity;

	CHECK(buffer_reserve(&b, 0));
	CHECK(buffer_reserve(&b, 1000));
	CHECK(b.nbytes == 0 && b.capacity >= 1000);
	REQUIRE(b.data);
	memset(b.data, 5, 1000);
	b.nbytes = 1000;
	capacity = b.capacity;
	CHECK(buffer_reserve(&b, 10)); /* never shrinks */
	CHECK_EQ_U64(b.capacity, capacity);
	CHECK(buffer_reserve(&b, capacity + 1));
	CHECK(b.capacity >= capacity + capacity / 2);
	for (size_t i = 0; i < 1000; i++)
		if (!CHECK(b.data[i] == 5))
			break;
	buffer_release(&b);
}

/* A failure leaves everything as it was. */
static void test_buffer_too_large(void)
{
	struct buffer b = { 0 };
	size_t capacity;

	REQUIRE(buffer_append(&b, "abc", 3));
	capacity = b.capacity;
	CHECK(!buffer_append(&b, "x", SIZE_MAX));
	CHECK(!buffer_append(&b, "x", SIZE_MAX - 3));
	CHECK(!buffer_reserve(&b, SIZE_MAX));
	CHECK_EQ_U64(b.nbytes, 3);
	CHECK_EQ_U64(b.capacity, capacity);
	CHECK_MEM_EQ(b.data, "abc", 3);
	buffer_release(&b);
}

int main(void)
{
	RUN(test_alloc_is_zeroed);
	RUN(test_alloc_of_nothing);
	RUN(test_alloc_that_cannot_be);
	RUN(test_grow);
	RUN(test_grow_too_large);
	RUN(test_buffer_appends);
	RUN(test_buffer_integers);
	RUN(test_buffer_reserve);
	RUN(test_buffer_too_large);
	return check_report();
}
