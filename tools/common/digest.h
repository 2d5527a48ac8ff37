/* SPDX-License-Identifier: MIT */
/* Checksums as people and sha256sum write them. */
#ifndef NC3Z_TOOLS_COMMON_DIGEST_H
#define NC3Z_TOOLS_COMMON_DIGEST_H

#include <stdio.h>

/* In hexadecimal digits; a SHA-256 to standard output. */
void digest_put(FILE *to, const unsigned char *digest, size_t digest_nbytes);
void digest_print(const unsigned char sha256[32]);

#endif
