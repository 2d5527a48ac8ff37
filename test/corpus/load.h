/* Whole files in memory. */
#ifndef CORPUS_LOAD_H
#define CORPUS_LOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct bytes {
	uint8_t *data;
	size_t nbytes;
};

/*
 * Reads a file; one whose name ends in .zst is decompressed.  False after a
 * message to standard output.  The bytes are freed with free().
 */
bool load_file(const char *path, struct bytes *bytes_ret);

#endif
