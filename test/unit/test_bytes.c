/* SPDX-License-Identifier: MIT */
#include "base/bytes.h"
#include "check.h"

static const uint8_t ascending[] = { 0xff, 0x01, 0x02, 0x03, 0x04,
				     0x05, 0x06, 0x07, 0x88, 0xff };

static void test_load_little_endian(void)
{
	CHECK_EQ_U64(load_le16(ascending + 1), 0x0201);
	CHECK_EQ_U64(load_le32(ascending + 1), 0x04030201);
	CHECK_EQ_U64(load_le64(ascending + 1), UINT64_C(0x8807060504030201));
}

static void test_load_big_endian(void)
{
	CHECK_EQ_U64(load_be32(ascending + 1), 0x01020304);
	CHECK_EQ_U64(load_be32(ascending + 5), 0x05060788);
	CHECK_EQ_U64(load_be64(ascending + 1), UINT64_C(0x0102030405060788));
}

/* The top bit of each byte must not spread into the bytes above it. */
static void test_load_top_bits(void)
{
	static const uint8_t ones[8] = { 0xff, 0xff, 0xff, 0xff,
					 0xff, 0xff, 0xff, 0xff };

	CHECK_EQ_U64(load_le16(ones), UINT16_MAX);
	CHECK_EQ_U64(load_le32(ones), UINT32_MAX);
	CHECK_EQ_U64(load_le64(ones), UINT64_MAX);
	CHECK_EQ_U64(load_be32(ones), UINT32_MAX);
	CHECK_EQ_U64(load_be64(ones), UINT64_MAX);
	for (unsigned i = 0; i < 8; i++) {
		uint8_t one[8] = { 0 };

		one[i] = 0x80;
		CHECK_EQ_U64(load_le64(one), UINT64_C(0x80) << 8 * i);
		CHECK_EQ_U64(load_be64(one), UINT64_C(0x80) << 8 * (7 - i));
	}
}

static void test_store_writes_its_bytes_only(void)
{
	uint8_t out[10];

	memset(out, 0xee, sizeof(out));
	store_le16(out + 1, 0x0201);
	CHECK_MEM_EQ(out, "\xee\x01\x02\xee", 4);
	memset(out, 0xee, sizeof(out));
	store_le32(out + 1, 0x04030201);
	CHECK_MEM_EQ(out, "\xee\x01\x02\x03\x04\xee", 6);
	memset(out, 0xee, sizeof(out));
	store_le64(out + 1, UINT64_C(0x8807060504030201));
	CHECK_MEM_EQ(out, "\xee\x01\x02\x03\x04\x05\x06\x07\x88\xee", 10);
}

int main(void)
{
	RUN(test_load_little_endian);
	RUN(test_load_big_endian);
	RUN(test_load_top_bits);
	RUN(test_store_writes_its_bytes_only);
	return check_report();
}
