/* SPDX-License-Identifier: MIT */
/*
 * SHA-256 (FIPS 180-4) in plain C, for builds without libcrypto.  Any number of
 * bytes, given in pieces.
 */
#ifndef NC3Z_BASE_SHA256_H
#define NC3Z_BASE_SHA256_H

#include <stddef.h>
#include <stdint.h>

struct sha256_plain {
	uint32_t state[8];
	uint64_t nbytes;   /* so far */
	uint8_t block[64]; /* the last nbytes % 64 of them */
};

void sha256_plain_init(struct sha256_plain *sha);
void sha256_plain_update(struct sha256_plain *sha, const void *data,
			 size_t data_nbytes);
/* Ends it; it must be initialised again before it is used again. */
void sha256_plain_final(struct sha256_plain *sha, uint8_t digest[32]);

#endif
