/* SPDX-License-Identifier: MIT */
/* The two checks of the format: CRC-32 (IEEE 802.3) and SHA-256. */
#ifndef NC3Z_BASE_CHECKSUM_H
#define NC3Z_BASE_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

#define SHA256_NBYTES 32

/* CRC-32 of one run of bytes, as zlib's crc32() gives it. */
uint32_t crc32_of(const void *data, size_t data_nbytes);

/* Goes on with a CRC-32; start with 0. */
uint32_t crc32_update(uint32_t crc, const void *data, size_t data_nbytes);

/* A SHA-256 in progress. */
struct sha256;

/* NULL if out of memory. */
struct sha256 *sha256_new(void);
void sha256_free(struct sha256 *sha);
int sha256_update(struct sha256 *sha, const void *data, size_t data_nbytes,
		  struct nc3z_error *err);
/* Ends it and makes it ready for another. */
int sha256_final(struct sha256 *sha, uint8_t digest[SHA256_NBYTES],
		 struct nc3z_error *err);

#endif
