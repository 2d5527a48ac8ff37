#include "base/checksum.h"

#include <libdeflate.h>
#include <openssl/evp.h>

uint32_t crc32_of(const void *data, size_t data_nbytes)
{
	return libdeflate_crc32(0, data, data_nbytes);
}

uint32_t crc32_update(uint32_t crc, const void *data, size_t data_nbytes)
{
	return data_nbytes ? libdeflate_crc32(crc, data, data_nbytes) : crc;
}

/* struct sha256 is libcrypto's context under our name. */
static EVP_MD_CTX *context(struct sha256 *sha)
{
	return (EVP_MD_CTX *)sha;
}

struct sha256 *sha256_new(void)
{
	EVP_MD_CTX *ctx = EVP_MD_CTX_new();

	if (ctx && EVP_DigestInit_ex(ctx, EVP_sha256(), NULL) != 1) {
		EVP_MD_CTX_free(ctx);
		ctx = NULL;
	}
	return (struct sha256 *)ctx;
}

void sha256_free(struct sha256 *sha)
{
	EVP_MD_CTX_free(context(sha));
}

int sha256_update(struct sha256 *sha, const void *data, size_t data_nbytes,
		  struct nc3z_error *err)
{
	if (EVP_DigestUpdate(context(sha), data, data_nbytes) != 1)
		return error_set_memory(err);
	return NC3Z_OK;
}

int sha256_final(struct sha256 *sha, uint8_t digest[SHA256_NBYTES],
		 struct nc3z_error *err)
{
	if (EVP_DigestFinal_ex(context(sha), digest, NULL) != 1 ||
	    EVP_DigestInit_ex(context(sha), EVP_sha256(), NULL) != 1)
		return error_set_memory(err);
	return NC3Z_OK;
}
