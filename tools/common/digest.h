/* SPDX-License-Identifier: MIT */
/* A SHA-256 as people and sha256sum write it. */
#ifndef NC3Z_TOOLS_COMMON_DIGEST_H
#define NC3Z_TOOLS_COMMON_DIGEST_H

#include <stdio.h>

/* Prints it in hexadecimal digits, to any stream or to standard output. */
void digest_put(FILE *to, const unsigned char sha256[32]);
void digest_print(const unsigned char sha256[32]);

#endif
