/* SPDX-License-Identifier: MIT */
/* Kinds of files that are none of ours, by their first bytes. */
#ifndef NC3Z_BASE_MAGIC_H
#define NC3Z_BASE_MAGIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct nc3z_error;

/*
 * As many bytes as any compressor needs; and as are looked at for other kinds,
 * more than a header of HTTP has.
 */
#define MAGIC_NBYTES 6
#define MAGIC_KIND_NBYTES 4096

/*
 * "gzip", "bzip2", "zstd" or "xz" for a file compressed as a whole that begins
 * with these bytes; NULL for any other.
 */
const char *magic_compressor(const uint8_t *data, size_t nbytes);

/* Whether a classic file begins with these bytes, of which 16 tell. */
bool magic_is_classic(const uint8_t *data, size_t nbytes);

/* How HDF5 files begin. */
#define MAGIC_HDF5 "\x89HDF\r\n\x1a\n"
#define MAGIC_HDF5_NBYTES 8

/*
 * How "_NCProperties" of exact netCDF-4 files begins, by which they are told
 * from others; and whether it is in these bytes.
 */
#define MAGIC_EXACT_MARK "version=2,nc3z="
bool magic_is_exact(const uint8_t *data, size_t nbytes);

/* What is wanted. */
#define MAGIC_ARCHIVE "an nc3z archive"
#define MAGIC_CLASSIC "a netCDF classic file"
#define MAGIC_EXACT "an exact netCDF-4 file"
#define MAGIC_TAR "a tar"

/*
 * Says what a file is that begins with these bytes and is not what is wanted,
 * and what to do: NC3Z_ENOTARCHIVE, NC3Z_EDAMAGED
 * for what was an archive, or 0 if it is no kind that is known.
 */
int magic_refuse(const uint8_t *data, size_t nbytes, const char *wanted,
		 struct nc3z_error *err);

/*
 * Whether the beginning of a file has a carriage return before each line feed,
 * and has some, as a transfer in text mode leaves it.
 */
bool magic_is_text_mode(const uint8_t *data, size_t nbytes);

/* What to do then. */
#define MAGIC_TEXT_MODE_ADVICE \
	"a transfer in text mode has put 0d 0a for each 0a: transfer the " \
	"file again, in binary mode"

#endif
