/* SPDX-License-Identifier: MIT */
#include "common/digest.h"

void digest_put(FILE *to, const unsigned char *digest, size_t digest_nbytes)
{
	for (size_t i = 0; i < digest_nbytes; i++)
		fprintf(to, "%02x", digest[i]);
}

void digest_print(const unsigned char sha256[32])
{
	digest_put(stdout, sha256, 32);
}
