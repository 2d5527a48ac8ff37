/* SPDX-License-Identifier: MIT */
#include "write/estimate_sample.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/sizes.h"

uint64_t sample_step(uint64_t nblocks)
{
	uint64_t step = (uint64_t)((double)nblocks * 0.618) + 1;

	while (size_divisor(step, nblocks) > 1)
		step++;
	return step;
}

bool sample_add(struct sampled_blocks *sample, struct sampled_block block)
{
	if (!memory_room(&sample->list, sample->count, &sample->room,
			 sizeof(block)))
		return false;
	sample->list[sample->count++] = block;
	return true;
}

static int compare_samples(const void *a, const void *b)
{
	const struct sampled_block *x = a, *y = b;

	if (x->stream != y->stream)
		return x->stream < y->stream ? -1 : 1;
	return (x->crc > y->crc) - (x->crc < y->crc);
}

void sample_sort(struct sampled_blocks *sample)
{
	if (sample->count > 0)
		qsort(sample->list, sample->count, sizeof(*sample->list),
		      compare_samples);
}

static size_t find_stream(const struct sampled_blocks *sample, uint32_t stream)
{
	size_t low = 0, high = sample->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (sample->list[middle].stream < stream)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

double sample_distinct_share(const struct sampled_blocks *sample,
			     uint32_t stream, uint64_t nblocks)
{
	double once = 0, repeated = 0, all = 0, scale;
	size_t n = 0, same;

	for (size_t i = find_stream(sample, stream);
	     i < sample->count && sample->list[i].stream == stream; i += same) {
		double nbytes = (double)sample->list[i].stored_nbytes;

		for (same = 1; i + same < sample->count &&
			       compare_samples(&sample->list[i],
					       &sample->list[i + same]) == 0;
		     same++)
			;
		n += same;
		all += nbytes * (double)same;
		once += same == 1 ? nbytes : 0;
		repeated += same == 1 ? 0 : nbytes;
	}
	if (n == 0 || all <= 0)
		return 1;
	scale = (double)nblocks / (double)n;
	return (once * scale + repeated) / (all * scale);
}

void sample_release(struct sampled_blocks *sample)
{
	free(sample->list);
}
