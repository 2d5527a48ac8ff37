/* SPDX-License-Identifier: MIT */
/*
 * Numbers as text, byte for byte as printf() writes them, but faster.
 *
 * None of these writes a NUL; each returns the number of bytes written.
 */
#ifndef NC3Z_TOOLS_DUMP_NUMBER_H
#define NC3Z_TOOLS_DUMP_NUMBER_H

#include <stddef.h>
#include <stdint.h>

/* Room for what any of these writes. */
#define NUMBER_NBYTES_MAX 40

/* As "%lld" and "%llu". */
size_t number_put_int(char *to, int64_t value);
size_t number_put_uint(char *to, uint64_t value);

/* A finite value as "%.*g" with 1 to 20 digits. */
size_t number_put_double(char *to, double value, int ndigits);

#endif
