/* SPDX-License-Identifier: MIT */
/* Kinds of files that are none of ours, by their first bytes. */
#ifndef NC3Z_BASE_MAGIC_H
#define NC3Z_BASE_MAGIC_H

#include <stddef.h>
#include <stdint.h>

/* As many bytes as any of them needs. */
#define MAGIC_NBYTES 6

/*
 * "gzip", "bzip2", "zstd" or "xz" for a file compressed as a whole that begins
 * with these bytes; NULL for any other.
 */
const char *magic_compressor(const uint8_t *data, size_t nbytes);

#endif
