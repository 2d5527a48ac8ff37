/* SPDX-License-Identifier: MIT */
/* Kinds of files that are none of ours, by their first bytes. */
#ifndef NC3Z_BASE_MAGIC_H
#define NC3Z_BASE_MAGIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* As many bytes as any compressor needs, and any other kind. */
#define MAGIC_NBYTES 6
#define MAGIC_KIND_NBYTES 32

/*
 * "gzip", "bzip2", "zstd" or "xz" for a file compressed as a whole that begins
 * with these bytes; NULL for any other.
 */
const char *magic_compressor(const uint8_t *data, size_t nbytes);

/* A kind of files that people take for ours. */
struct magic_kind {
	const char *what;   /* "a zip file" */
	const char *advice; /* "unpack it first" */
	bool is_damaged;    /* it was one of ours */
};

/* That of a file that begins with these bytes; NULL if it is not known. */
const struct magic_kind *magic_kind_of(const uint8_t *data, size_t nbytes);

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
