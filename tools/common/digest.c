/* SPDX-License-Identifier: MIT */
#include "common/digest.h"

void digest_put(FILE *to, const unsigned char sha256[32])
{
	for (int i = 0; i < 32; i++)
		fprintf(to, "%02x", sha256[i]);
}

void digest_print(const unsigned char sha256[32])
{
	digest_put(stdout, sha256);
}
