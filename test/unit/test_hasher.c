/* SPDX-License-Identifier: MIT */
/* Oracle: SHA-256 of all bytes at once, by libcrypto. */
#include <openssl/sha.h>

#include "check.h"
#include "parallel/hasher.h"

#define NBYTES (3u << 20)

static uint8_t *data;

/* Hashes the first 'nbytes' bytes, in pieces of up to 'max_piece'. */
static void check_hash(bool has_thread, size_t nbytes, size_t max_piece,
		       uint64_t seed)
{
	uint8_t digest[SHA256_NBYTES], expected[SHA256_NBYTES];
	struct hasher *hasher;
	size_t at = 0;

	REQUIRE(hasher_new(has_thread, &hasher, NULL) == NC3Z_OK);
	while (at < nbytes) {
		size_t n = check_random_below(&seed, max_piece + 1);
		uint8_t *buffer = hasher_buffer(hasher);

		n = n < nbytes - at ? n : nbytes - at;
		memcpy(buffer, data + at, n);
		CHECK(hasher_put(hasher, n, NULL) == NC3Z_OK);
		/* It can still be read while it is hashed. */
		CHECK_MEM_EQ(buffer, data + at, n);
		at += n;
	}
	CHECK(hasher_end(hasher, digest, NULL) == NC3Z_OK);
	SHA256(data, nbytes, expected);
	CHECK_MEM_EQ(digest, expected, sizeof(digest));
	hasher_free(hasher);
}

static void test_hashes(void)
{
	static const size_t pieces[] = { 1000, 100000, HASHER_BUFFER_NBYTES };

	for (unsigned has_thread = 0; has_thread < 2; has_thread++)
		for (size_t i = 0; i < 3; i++) {
			check_hash(has_thread, 0, pieces[i], i);
			check_hash(has_thread, 1, pieces[i], i);
			check_hash(has_thread, 200001, pieces[i], i);
			check_hash(has_thread, NBYTES, pieces[i], i);
		}
}

/* Given up with buffers on their way. */
static void test_free_early(void)
{
	for (unsigned n = 0; n < 12; n++) {
		struct hasher *hasher;

		REQUIRE(hasher_new(true, &hasher, NULL) == NC3Z_OK);
		for (unsigned i = 0; i < n; i++) {
			memset(hasher_buffer(hasher), (int)i, 50000);
			CHECK(hasher_put(hasher, 50000, NULL) == NC3Z_OK);
		}
		hasher_free(hasher);
	}
	hasher_free(NULL);
}

int main(void)
{
	uint64_t seed = 52;

	data = malloc(NBYTES);
	for (size_t i = 0; i < NBYTES; i++)
		data[i] = (uint8_t)check_random(&seed);
	RUN(test_hashes);
	RUN(test_free_early);
	free(data);
	return check_report();
}
