/* A SHA-256 as people and sha256sum write it. */
#ifndef NC3Z_TOOLS_COMMON_DIGEST_H
#define NC3Z_TOOLS_COMMON_DIGEST_H

/* Prints it in hexadecimal digits to standard output. */
void digest_print(const unsigned char sha256[32]);

#endif
