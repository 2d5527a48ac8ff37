/* SPDX-License-Identifier: MIT */
/*
 * The checksums of other libraries under our names.
 *
 * SHA-256 by the plain functions of libcrypto, not by EVP: these set up all of
 * libcrypto first, which takes a millisecond and crashes where memory runs out
 * in the middle of it.  The plain ones allocate nothing and cannot fail.
 * Builds without libcrypto have sha256.c, which knows no instructions for it.
 */
#define OPENSSL_API_COMPAT 0x10100000L /* they are not the newest */
#include "base/checksum.h"

#include <libdeflate.h>
#include <stdbool.h>
#include <stdlib.h>
#ifdef NC3Z_FEW_LIBRARIES
#include "base/sha256.h"
#define SHA256_CTX struct sha256_plain
#else
#include <openssl/sha.h>
#endif

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

#ifdef NC3Z_FEW_LIBRARIES
static void sha256_begin(SHA256_CTX *context)
{
	sha256_plain_init(context);
}

static bool sha256_add(SHA256_CTX *context, const void *data,
		       size_t data_nbytes)
{
	sha256_plain_update(context, data, data_nbytes);
	return true;
}

static bool sha256_end(SHA256_CTX *context, uint8_t digest[SHA256_NBYTES])
{
	sha256_plain_final(context, digest);
	return true;
}
#else
static void sha256_begin(SHA256_CTX *context)
{
	SHA256_Init(context);
}

static bool sha256_add(SHA256_CTX *context, const void *data,
		       size_t data_nbytes)
{
	return SHA256_Update(context, data, data_nbytes) == 1;
}

static bool sha256_end(SHA256_CTX *context, uint8_t digest[SHA256_NBYTES])
{
	return SHA256_Final(digest, context) == 1;
}
#endif

struct sha256 *sha256_new(void)
{
	struct sha256 *sha = malloc(sizeof(*sha));

	if (sha)
		sha256_begin(&sha->context);
	return sha;
}

void sha256_free(struct sha256 *sha)
{
	free(sha);
}

int sha256_update(struct sha256 *sha, const void *data, size_t data_nbytes,
		  struct nc3z_error *err)
{
	if (!sha256_add(&sha->context, data, data_nbytes))
		return error_set_memory(err);
	return NC3Z_OK;
}

int sha256_final(struct sha256 *sha, uint8_t digest[SHA256_NBYTES],
		 struct nc3z_error *err)
{
	if (!sha256_end(&sha->context, digest))
		return error_set_memory(err);
	sha256_begin(&sha->context);
	return NC3Z_OK;
}
