/* SPDX-License-Identifier: MIT */
/* Oracles: published test vectors, and a CRC-32 of one bit at a time. */
#include "base/checksum.h"
#include "check.h"

static uint32_t slow_crc32(const uint8_t *data, size_t nbytes)
{
	uint32_t crc = UINT32_MAX;

	for (size_t i = 0; i < nbytes; i++) {
		crc ^= data[i];
		for (int bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
	}
	return ~crc;
}

static void test_crc32_vectors(void)
{
	static const uint8_t zeros[32];
	uint8_t ones[32];

	memset(ones, 0xff, sizeof(ones));
	CHECK_EQ_U64(crc32_of("123456789", 9), 0xcbf43926);
	CHECK_EQ_U64(crc32_of("", 0), 0);
	CHECK_EQ_U64(crc32_of("a", 1), 0xe8b7be43);
	CHECK_EQ_U64(crc32_of("The quick brown fox jumps over the lazy dog",
			      43),
		     0x414fa339);
	CHECK_EQ_U64(crc32_of(zeros, 32), 0x190a55ad);
	CHECK_EQ_U64(crc32_of(ones, 32), 0xff6cab0b);
}

static void test_crc32_in_pieces(void)
{
	uint8_t data[2000];
	uint64_t seed = 3;

	for (size_t i = 0; i < sizeof(data); i++)
		data[i] = (uint8_t)check_random(&seed);
	for (int i = 0; i < 200; i++) {
		size_t n = check_random_below(&seed, sizeof(data));
		size_t cut = check_random_below(&seed, n + 1);
		uint32_t crc = crc32_update(0, data, cut);

		CHECK_EQ_U64(crc, slow_crc32(data, cut));
		crc = crc32_update(crc, data + cut, n - cut);
		CHECK_EQ_U64(crc, slow_crc32(data, n));
		CHECK_EQ_U64(crc32_of(data, n), crc);
	}
	CHECK_EQ_U64(crc32_update(0x12345678, NULL, 0), 0x12345678);
}

static void check_sha256(struct sha256 *sha, const char *text,
			 const char *expected)
{
	uint8_t digest[SHA256_NBYTES];
	char hex[2 * SHA256_NBYTES + 1];
	size_t n = strlen(text);

	/* In two pieces. */
	CHECK(sha256_update(sha, text, n / 3, NULL) == NC3Z_OK);
	CHECK(sha256_update(sha, text + n / 3, n - n / 3, NULL) == NC3Z_OK);
	CHECK(sha256_final(sha, digest, NULL) == NC3Z_OK);
	for (int i = 0; i < SHA256_NBYTES; i++)
		snprintf(hex + 2 * i, 3, "%02x", digest[i]);
	CHECK_STR_EQ(hex, expected);
}

/* The vectors of FIPS 180-4, one after the other in one context. */
static void test_sha256_vectors(void)
{
	struct sha256 *sha = sha256_new();

	REQUIRE(sha);
	check_sha256(sha, "",
		     "e3b0c44298fc1c149afbf4c8996fb924"
		     "27ae41e4649b934ca495991b7852b855");
	check_sha256(sha, "abc",
		     "ba7816bf8f01cfea414140de5dae2223"
		     "b00361a396177a9cb410ff61f20015ad");
	check_sha256(sha,
		     "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmno"
		     "mnopnopq",
		     "248d6a61d20638b8e5c026930c3e6039"
		     "a33ce45964ff2167f6ecedd419db06c1");
	check_sha256(sha, "abc",
		     "ba7816bf8f01cfea414140de5dae2223"
		     "b00361a396177a9cb410ff61f20015ad");
	sha256_free(sha);
	sha256_free(NULL);
}

static void test_sha256_of_a_million(void)
{
	static const uint8_t expected[SHA256_NBYTES] = {
		0xcd, 0xc7, 0x6e, 0x5c, 0x99, 0x14, 0xfb, 0x92,
		0x81, 0xa1, 0xc7, 0xe2, 0x84, 0xd7, 0x3e, 0x67,
		0xf1, 0x80, 0x9a, 0x48, 0xa4, 0x97, 0x20, 0x0e,
		0x04, 0x6d, 0x39, 0xcc, 0xc7, 0x11, 0x2c, 0xd0,
	};
	struct sha256 *sha = sha256_new();
	uint8_t digest[SHA256_NBYTES];
	char block[1000];

	REQUIRE(sha);
	memset(block, 'a', sizeof(block));
	for (int i = 0; i < 1000; i++)
		sha256_update(sha, block, sizeof(block), NULL);
	CHECK(sha256_final(sha, digest, NULL) == NC3Z_OK);
	CHECK_MEM_EQ(digest, expected, sizeof(expected));
	sha256_free(sha);
}

int main(void)
{
	RUN(test_crc32_vectors);
	RUN(test_crc32_in_pieces);
	RUN(test_sha256_vectors);
	RUN(test_sha256_of_a_million);
	return check_report();
}
