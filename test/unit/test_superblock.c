/* SPDX-License-Identifier: MIT */
#include <openssl/sha.h>

#include "archive/archive.h"
#include "base/bytes.h"
#include "check.h"
#include "picture.h"

/* The worked example of the specification. */
static const uint8_t example[FORMAT_SUPERBLOCK_NBYTES] = {
	0x89, 0x4e, 0x43, 0x33, 0x5a, 0x0d, 0x0a, 0x1a,
	0x01, 0x00, 0x00, 0x00, 0xad, 0xa4, 0xf2, 0xf6,
};

static int status_of(const uint8_t *bytes)
{
	struct nc3z_error err = { .status = -1 };
	int status = superblock_check(bytes, &err);

	CHECK(err.status == (status == NC3Z_OK ? -1 : status));
	return status;
}

static void test_write(void)
{
	uint8_t bytes[FORMAT_SUPERBLOCK_NBYTES];

	superblock_write(bytes);
	CHECK_MEM_EQ(bytes, example, sizeof(example));
	CHECK(status_of(bytes) == NC3Z_OK);
}

static void test_every_bit_flipped(void)
{
	for (size_t bit = 0; bit < 8 * sizeof(example); bit++) {
		uint8_t bytes[FORMAT_SUPERBLOCK_NBYTES];

		memcpy(bytes, example, sizeof(bytes));
		bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
		CHECK(status_of(bytes) ==
		      (bit < 64 ? NC3Z_ENOTARCHIVE : NC3Z_EDAMAGED));
	}
}

/* What text-mode transfers do. */
static void test_mangled_line_ends(void)
{
	static const uint8_t unix_ends[] = "\x89NC3Z\n\x1a.........";
	static const uint8_t dos_ends[] = "\x89NC3Z\r\r\n\x1a.......";

	CHECK(status_of(unix_ends) == NC3Z_ENOTARCHIVE);
	CHECK(status_of(dos_ends) == NC3Z_ENOTARCHIVE);
}

/* Another version is no damage, if the CRC is right. */
static void test_versions(void)
{
	for (unsigned major = 0; major < 300; major += major < 3 ? 1 : 7)
		for (unsigned minor = 0; minor < 4; minor++) {
			struct blob b = { 0 };
			bool known = major == 1 && minor == 0;

			blob_put(&b, example, 8);
			blob_le(&b, major, 2);
			blob_le(&b, minor, 2);
			blob_le(&b, picture_crc32(b.data, 12), 4);
			CHECK(status_of(b.data) ==
			      (known ? NC3Z_OK : NC3Z_EUNSUPPORTED));
			CHECK(format_version_check((uint16_t)major,
						   (uint16_t)minor, NULL) ==
			      (known ? NC3Z_OK : NC3Z_EUNSUPPORTED));
			blob_release(&b);
		}
}

static void test_identity(void)
{
	uint8_t identity[FORMAT_IDENTITY_NBYTES], digest[32], both[200];

	for (size_t i = 0; i < sizeof(both); i++)
		both[i] = (uint8_t)(7 * i);
	for (size_t cut = 0; cut <= sizeof(both); cut += 40) {
		SHA256(both, sizeof(both), digest);
		CHECK(archive_identity(both, cut, both + cut,
				       sizeof(both) - cut, identity,
				       NULL) == NC3Z_OK);
		CHECK_MEM_EQ(identity, digest, sizeof(identity));
	}
}

/* The two limits of section 9. */
static void test_header_copy_rule(void)
{
	CHECK(format_copies_are_little(500, 50000));
	CHECK(!format_copies_are_little(501, 50000));
	CHECK(!format_copies_are_little(1, 0));
	CHECK(!format_copies_are_little(UINT64_MAX, UINT64_MAX));
	CHECK(!format_has_header_copy(100, 0, false));
	CHECK(!format_has_header_copy(100, 1 << 20, false));
	CHECK(format_has_header_copy(100, 1, true));
	CHECK(format_has_header_copy(100, (1 << 20) + 1, false));
	CHECK(format_has_header_copy(1 << 24, UINT64_MAX, false));
	CHECK(!format_has_header_copy((1 << 24) + 1, UINT64_MAX, true));
	CHECK(!format_has_header_copy(UINT64_MAX, UINT64_MAX, true));
	CHECK(!format_has_stream_copies(1 << 20));
	CHECK(format_has_stream_copies((1 << 20) + 1));
	CHECK(!format_has_plan_copy(0, false));
	CHECK(!format_has_plan_copy(1 << 16, false));
	CHECK(format_has_plan_copy(1, true));
	CHECK(format_has_plan_copy((1 << 16) + 1, false));
	CHECK(format_has_plan_copy(UINT64_MAX, false));
}

int main(void)
{
	RUN(test_write);
	RUN(test_every_bit_flipped);
	RUN(test_mangled_line_ends);
	RUN(test_versions);
	RUN(test_identity);
	RUN(test_header_copy_rule);
	return check_report();
}
