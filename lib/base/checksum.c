/*
 * The checksums of other libraries under our names.
 *
 * SHA-256 by the plain functions of libcrypto, not by EVP: these set up all of
 * libcrypto first, which takes a millisecond and crashes where memory runs out
 * in the middle of it.  The plain ones allocate nothing and cannot fail.
 */
#define OPENSSL_API_COMPAT 0x10100000L /* they are not the newest */
#include "base/checksum.h"

#include <libdeflate.h>
#include <openssl/sha.h>
#include <stdlib.h>

uint32_t crc32_of(const void *data, size_t data_nbytes)
{
	return libdeflate_crc32(0, data, data_nbytes);
}

uint32_t crc32_update(uint32_t crc, const void *data, size_t data_nbytes)
{
	return data_nbytes ? libdeflate_crc32(crc, data, data_nbytes) : crc;
}

struct sha256 {
	SHA256_CTX context;
};

struct sha256 *sha256_new(void)
{
	struct sha256 *sha = malloc(sizeof(*sha));

	if (sha)
		SHA256_Init(&sha->context);
	return sha;
}

void sha256_free(struct sha256 *sha)
{
	free(sha);
}

int sha256_update(struct sha256 *sha, const void *data, size_t data_nbytes,
		  struct nc3z_error *err)
{
	if (SHA256_Update(&sha->context, data, data_nbytes) != 1)
		return error_set_memory(err);
	return NC3Z_OK;
}

int sha256_final(struct sha256 *sha, uint8_t digest[SHA256_NBYTES],
		 struct nc3z_error *err)
{
	if (SHA256_Final(digest, &sha->context) != 1)
		return error_set_memory(err);
	SHA256_Init(&sha->context);
	return NC3Z_OK;
}
