/* Oracles: the examples of FIPS 180-4, and libcrypto. */
#include "base/checksum.h"
#include "base/sha256.h"
#include "check.h"

static void check_text(const char *text, const char *expected)
{
	struct sha256_plain sha;
	uint8_t digest[SHA256_NBYTES];
	char hex[2 * SHA256_NBYTES + 1];

	sha256_plain_init(&sha);
	sha256_plain_update(&sha, text, strlen(text));
	sha256_plain_final(&sha, digest);
	for (size_t i = 0; i < SHA256_NBYTES; i++)
		snprintf(hex + 2 * i, 3, "%02x", digest[i]);
	CHECK_STR_EQ(hex, expected);
}

static void test_examples(void)
{
	check_text("", "e3b0c44298fc1c149afbf4c8996fb924"
		       "27ae41e4649b934ca495991b7852b855");
	check_text("abc", "ba7816bf8f01cfea414140de5dae2223"
			  "b00361a396177a9cb410ff61f20015ad");
	check_text("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
		   "248d6a61d20638b8e5c026930c3e6039"
		   "a33ce45964ff2167f6ecedd419db06c1");
	check_text("abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmn"
		   "hijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
		   "cf5b16a778af8380036ce59e7b049237"
		   "0b249b11e8f07a51afac45037afee9d1");
}

static void test_a_million(void)
{
	static const uint8_t expected[SHA256_NBYTES] = {
		0xcd, 0xc7, 0x6e, 0x5c, 0x99, 0x14, 0xfb, 0x92,
		0x81, 0xa1, 0xc7, 0xe2, 0x84, 0xd7, 0x3e, 0x67,
		0xf1, 0x80, 0x9a, 0x48, 0xa4, 0x97, 0x20, 0x0e,
		0x04, 0x6d, 0x39, 0xcc, 0xc7, 0x11, 0x2c, 0xd0,
	};
	struct sha256_plain sha;
	uint8_t digest[SHA256_NBYTES];
	char text[1000];

	memset(text, 'a', sizeof(text));
	sha256_plain_init(&sha);
	for (int i = 0; i < 1000; i++)
		sha256_plain_update(&sha, text, sizeof(text));
	sha256_plain_final(&sha, digest);
	CHECK_MEM_EQ(digest, expected, sizeof(digest));
}

/* From memory of exactly that size: sanitizers see a byte too many. */
static void update_exactly(struct sha256_plain *sha, const uint8_t *data,
			   size_t nbytes)
{
	uint8_t *copy = malloc(nbytes > 0 ? nbytes : 1);

	REQUIRE(copy);
	memcpy(copy, data, nbytes);
	sha256_plain_update(sha, copy + (nbytes == 0), nbytes);
	free(copy);
}

/* Every length up to some blocks, cut in two and in three. */
static void test_beside_libcrypto(void)
{
	struct sha256 *other = sha256_new();
	struct sha256_plain sha;
	uint8_t data[400], mine[SHA256_NBYTES], theirs[SHA256_NBYTES];
	uint64_t seed = 9;

	REQUIRE(other);
	for (size_t i = 0; i < sizeof(data); i++)
		data[i] = (uint8_t)check_random(&seed);
	for (size_t n = 0; n <= sizeof(data); n++) {
		size_t a = check_random_below(&seed, n + 1);
		size_t b = a + check_random_below(&seed, n - a + 1);

		sha256_plain_init(&sha);
		update_exactly(&sha, data, a);
		update_exactly(&sha, data + a, b - a);
		update_exactly(&sha, data + b, n - b);
		sha256_plain_final(&sha, mine);
		CHECK(sha256_update(other, data, n, NULL) == NC3Z_OK);
		CHECK(sha256_final(other, theirs, NULL) == NC3Z_OK);
		CHECK_MEM_EQ(mine, theirs, sizeof(mine));
	}
	sha256_free(other);
}

int main(void)
{
	RUN(test_examples);
	RUN(test_a_million);
	RUN(test_beside_libcrypto);
	return check_report();
}
