/* SPDX-License-Identifier: MIT */
/*
 * Files in another order: whoever stops anywhere has seen a fair sample, large
 * ones as often as they have bytes.
 */
#include <stdlib.h>
#include <string.h>

#include "batch/files.h"

/* The file that holds a byte of all of them; 'ends' has where each ends. */
static size_t file_at(const uint64_t *ends, size_t count, uint64_t byte)
{
	size_t low = 0, high = count - 1;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (ends[middle] > byte)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

/* Steps of the golden section through all bytes, then what they have missed. */
static void spread_files(const struct file_names *names, const uint64_t *ends,
			 struct file_name *to)
{
	uint64_t total = ends[names->count - 1], at = total / 2;
	uint64_t step = (uint64_t)((double)total * 0.618);
	size_t n = 0;

	for (size_t i = 0; i < names->count; i++) {
		struct file_name *file =
			&names->list[file_at(ends, names->count, at)];

		if (file->path)
			to[n++] = *file;
		file->path = NULL;
		at = (at + step) % (total | 1);
	}
	for (size_t i = 0; i < names->count; i++)
		if (names->list[i].path)
			to[n++] = names->list[i];
}

void files_spread(struct file_names *names)
{
	struct file_name *list = calloc(names->count + 1, sizeof(*list));
	uint64_t *ends = calloc(names->count + 1, sizeof(*ends));
	uint64_t end = 0;

	if (!list || !ends)
		message_out_of_memory();
	for (size_t i = 0; i < names->count; i++)
		ends[i] = end += names->list[i].nbytes;
	if (names->count > 0) {
		spread_files(names, ends, list);
		memcpy(names->list, list, names->count * sizeof(*list));
	}
	free(list);
	free(ends);
}
