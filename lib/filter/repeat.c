/* SPDX-License-Identifier: MIT */
#include "filter/repeat.h"

#include <string.h>

#define WINDOWS 16u
#define WINDOW_NELEMS 64u
#define SAMPLES (WINDOWS * WINDOW_NELEMS)
/* A distance is worth it for one of so many samples. */
#define SHARE 16u
/* And all of them together for so many. */
#define SHARE_OF_ALL 3u
/* Distances that are tried: short ones, and around a row and a plane. */
#define SHORT_MAX 12u
#define AROUND 8u

static inline bool is_equal(const struct repeat_input *in, size_t a, size_t b)
{
	const uint8_t *x = in->elems;

	return memcmp(x + a * in->width, x + b * in->width, in->width) == 0;
}

/* How many elements are looked at: all, if they are few. */
static unsigned count_samples(const struct repeat_input *in)
{
	return in->n < (size_t)2 * SAMPLES ? (unsigned)in->n : SAMPLES;
}

/* Element number 'sample' of these. */
static size_t place_of(const struct repeat_input *in, unsigned sample)
{
	size_t window = sample / WINDOW_NELEMS;

	return in->n < (size_t)2 * SAMPLES ?
		       sample :
		       in->n / WINDOWS * window + sample % WINDOW_NELEMS;
}

/* How many samples repeat at a distance, of those that are left. */
static unsigned count_repeats(const struct repeat_input *in, uint32_t distance,
			      const bool *is_done)
{
	unsigned n = 0;

	for (unsigned s = 0; s < count_samples(in); s++) {
		size_t i = place_of(in, s);

		n += !is_done[s] && i >= distance &&
		     is_equal(in, i, i - distance);
	}
	return n;
}

/* The best one from 'first' to 'last', if better than what is there. */
static void find_best(const struct repeat_input *in, uint64_t first,
		      uint64_t last, const bool *is_done, uint32_t *best,
		      unsigned *best_count)
{
	for (uint64_t d = first; d <= last && d < in->n; d++) {
		unsigned n = count_repeats(in, (uint32_t)d, is_done);

		if (n > *best_count) {
			*best_count = n;
			*best = (uint32_t)d;
		}
	}
}

static void find_around(const struct repeat_input *in, uint32_t stride,
			const bool *is_done, uint32_t *best,
			unsigned *best_count)
{
	if (stride > SHORT_MAX + AROUND)
		find_best(in, stride - AROUND, (uint64_t)stride + AROUND,
			  is_done, best, best_count);
}

struct repeat_distances repeat_find(const struct repeat_input *in)
{
	struct repeat_distances found = { 0 };
	const unsigned nsamples = count_samples(in);
	bool is_done[2 * SAMPLES];
	unsigned total = 0;

	/* Those that repeat the one before say nothing. */
	for (unsigned s = 0; s < nsamples; s++) {
		size_t i = place_of(in, s);

		is_done[s] = i > 0 && is_equal(in, i, i - 1);
	}
	while (found.n < REPEAT_DISTANCES_MAX) {
		uint32_t best = 0;
		unsigned n = nsamples / SHARE;

		find_best(in, 2, SHORT_MAX, is_done, &best, &n);
		find_around(in, in->row, is_done, &best, &n);
		find_around(in, in->plane, is_done, &best, &n);
		if (best == 0)
			break;
		found.list[found.n++] = best;
		total += n;
		for (unsigned s = 0; s < nsamples; s++) {
			size_t i = place_of(in, s);

			is_done[s] |= i >= best && is_equal(in, i, i - best);
		}
	}
	if (total < nsamples / SHARE_OF_ALL)
		found.n = 0;
	return found;
}

size_t repeat_mark(const struct repeat_input *in,
		   const struct repeat_distances *distances, uint8_t *codes)
{
	size_t nholes = 0;

	memset(codes, 0, in->n);
	for (unsigned k = distances->n; k-- > 0;)
		for (size_t i = distances->list[k]; i < in->n; i++)
			if (is_equal(in, i, i - distances->list[k]))
				codes[i] = (uint8_t)(k + 1);
	for (size_t i = 0; i < in->n; i++)
		nholes += codes[i] != 0;
	return nholes;
}

bool repeat_unpack(const uint8_t *codes, size_t n,
		   const struct repeat_distances *distances, uint8_t *holes,
		   size_t *nholes_ret)
{
	*nholes_ret = 0;
	for (size_t i = 0; i < n; i++) {
		unsigned code = codes[i];

		if (code > distances->n ||
		    (code > 0 && i < distances->list[code - 1]))
			return false;
		holes[i] = code > 0;
		*nholes_ret += code > 0;
	}
	return true;
}

void repeat_fill(uint8_t width, const uint8_t *codes, size_t n,
		 const struct repeat_distances *distances, uint8_t *raw)
{
	for (size_t i = 0; i < n; i++)
		if (codes[i] > 0)
			memcpy(raw + i * width,
			       raw + (i - distances->list[codes[i] - 1]) *
					       width,
			       width);
}
