/* SPDX-License-Identifier: MIT */
#include "filter/key_sort.h"

#include <stdbool.h>

/*
 * Sorts by one byte of the keys; equal ones keep their order.  False if it is
 * the same in all: nothing was moved.
 */
static bool sort_by_byte(const uint64_t *from, size_t n, unsigned byte,
			 uint64_t *to)
{
	size_t starts[257] = { 0 };

	for (size_t i = 0; i < n; i++)
		starts[(from[i] >> 8 * byte & 0xff) + 1]++;
	if (starts[(from[0] >> 8 * byte & 0xff) + 1] == n)
		return false;
	for (unsigned i = 0; i < 256; i++)
		starts[i + 1] += starts[i];
	for (size_t i = 0; i < n; i++)
		to[starts[from[i] >> 8 * byte & 0xff]++] = from[i];
	return true;
}

uint64_t *key_sort(uint64_t *keys, uint64_t *spare, size_t n, uint8_t width)
{
	for (unsigned byte = 0; n > 0 && byte < width; byte++) {
		uint64_t *sorted = spare;

		if (!sort_by_byte(keys, n, byte, sorted))
			continue;
		spare = keys;
		keys = sorted;
	}
	return keys;
}
