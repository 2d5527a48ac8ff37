/* SPDX-License-Identifier: MIT */
#include "base/cursor.h"
#include "check.h"

static const uint8_t data[] = { 0x01, 0x02, 0x03, 0x04, 0x05, 0x06,
				0x07, 0x08, 0x09, 0x0a, 0x0b, 0x0c };

static void test_getters(void)
{
	struct cursor c;

	cursor_init(&c, data, sizeof(data));
	CHECK_EQ_U64(cursor_u8(&c), 0x01);
	CHECK_EQ_U64(cursor_u8(&c), 0x02);
	CHECK_EQ_U64(cursor_u8(&c), 0x03);
	CHECK_EQ_U64(cursor_left(&c), sizeof(data) - 3);
	CHECK_EQ_U64(cursor_le32(&c), 0x07060504);
	CHECK_EQ_U64(cursor_be32(&c), 0x08090a0b);
	CHECK(cursor_ok(&c));
	cursor_init(&c, data, sizeof(data));
	CHECK_EQ_U64(cursor_le64(&c), UINT64_C(0x0807060504030201));
	CHECK_EQ_U64(c.position, 8);
	cursor_init(&c, data, sizeof(data));
	CHECK_EQ_U64(cursor_be64(&c), UINT64_C(0x0102030405060708));
	CHECK(cursor_ok(&c));
}

static void test_take_to_the_last_byte(void)
{
	struct cursor c;

	cursor_init(&c, data, sizeof(data));
	CHECK(cursor_take(&c, 0) == data);
	CHECK(cursor_take(&c, 5) == data);
	CHECK(cursor_take(&c, sizeof(data) - 5) == data + 5);
	CHECK_EQ_U64(cursor_left(&c), 0);
	CHECK(cursor_ok(&c));
	CHECK(cursor_take(&c, 0) == data + sizeof(data));
	CHECK(cursor_ok(&c));
	CHECK(cursor_take(&c, 1) == NULL);
	CHECK(!cursor_ok(&c));
}

/* After a failure nothing is given out, even what would be there. */
static void test_failure_stays(void)
{
	struct cursor c;

	cursor_init(&c, data, sizeof(data));
	cursor_u8(&c);
	CHECK(cursor_take(&c, sizeof(data)) == NULL);
	CHECK(!cursor_ok(&c));
	CHECK_EQ_U64(cursor_left(&c), 0);
	CHECK(cursor_take(&c, 1) == NULL);
	CHECK(cursor_take(&c, 0) == NULL);
	CHECK_EQ_U64(cursor_u8(&c), 0);
	CHECK_EQ_U64(cursor_le32(&c), 0);
	CHECK_EQ_U64(cursor_le64(&c), 0);
	CHECK_EQ_U64(cursor_be32(&c), 0);
	CHECK_EQ_U64(cursor_be64(&c), 0);
	CHECK_EQ_U64(c.position, 1);
	CHECK(!cursor_ok(&c));
}

/* Lengths from a file may be anything. */
static void test_huge_lengths(void)
{
	static const uint64_t lengths[] = {
		sizeof(data) + 1,          UINT32_MAX,
		UINT64_C(1) << 32,         (uint64_t)INT64_MAX,
		UINT64_MAX - sizeof(data), UINT64_MAX
	};

	for (size_t i = 0; i < sizeof(lengths) / sizeof(*lengths); i++) {
		struct cursor c;

		cursor_init(&c, data, sizeof(data));
		cursor_u8(&c);
		CHECK(cursor_take(&c, lengths[i]) == NULL);
		CHECK(!cursor_ok(&c));
	}
}

/* Each getter, with one byte too few in a buffer of just that size. */
static void test_getters_stop_in_time(void)
{
	for (size_t n = 0; n < 8; n++) {
		uint8_t *exact = malloc(n + 1);
		struct cursor c;

		REQUIRE(exact);
		memset(exact, 0xff, n + 1);
		cursor_init(&c, exact, n);
		CHECK_EQ_U64(cursor_le64(&c), 0);
		CHECK(!cursor_ok(&c));
		cursor_init(&c, exact, n);
		CHECK_EQ_U64(cursor_be64(&c), 0);
		CHECK(!cursor_ok(&c));
		cursor_init(&c, exact, n);
		CHECK_EQ_U64(cursor_le32(&c), n < 4 ? 0 : UINT32_MAX);
		CHECK(cursor_ok(&c) == (n >= 4));
		cursor_init(&c, exact, n);
		CHECK_EQ_U64(cursor_be32(&c), n < 4 ? 0 : UINT32_MAX);
		CHECK(cursor_ok(&c) == (n >= 4));
		cursor_init(&c, exact, n);
		CHECK_EQ_U64(cursor_u8(&c), n < 1 ? 0 : UINT8_MAX);
		CHECK(cursor_ok(&c) == (n >= 1));
		free(exact);
	}
}

int main(void)
{
	RUN(test_getters);
	RUN(test_take_to_the_last_byte);
	RUN(test_failure_stays);
	RUN(test_huge_lengths);
	RUN(test_getters_stop_in_time);
	return check_report();
}
