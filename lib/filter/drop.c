/* SPDX-License-Identifier: MIT */
#include "filter/drop.h"

#include <string.h>

#include "base/bytes.h"
#include "filter/kernels.h"

#define NSAMPLES 512
#define NSLOTS 1024 /* a power of two above NSAMPLES */

static uint64_t element(uint8_t width, const void *elems, size_t i)
{
	switch (width) {
	case 1:
		return ((const uint8_t *)elems)[i];
	case 2:
		return ((const uint16_t *)elems)[i];
	case 4:
		return ((const uint32_t *)elems)[i];
	default:
		return ((const uint64_t *)elems)[i];
	}
}

/* A place below n; places of all k are spread evenly, in no rhythm. */
static size_t spread_bits(uint64_t k, size_t n)
{
	uint64_t fraction = k * UINT64_C(0x9e3779b97f4a7c15) >> 32;

	return (size_t)(fraction * n >> 32);
}

/* Counts values in an open hash table. */
struct tally {
	uint64_t values[NSLOTS];
	uint16_t counts[NSLOTS];
};

/* Counts a value once more; the count. */
static unsigned count_value(struct tally *tally, uint64_t value)
{
	size_t at = (size_t)(value * UINT64_C(0x9e3779b97f4a7c15) >> 54);

	while (tally->counts[at] > 0 && tally->values[at] != value)
		at = (at + 1) % NSLOTS;
	tally->values[at] = value;
	return ++tally->counts[at];
}

void drop_find(uint8_t width, const void *elems, size_t n, void *value_ret)
{
	size_t nsamples = n < NSAMPLES ? n : NSAMPLES, best_at = 0;
	struct tally tally = { .counts = { 0 } };
	unsigned best = 0;

	for (size_t k = 0; k < nsamples; k++) {
		size_t at = n < NSAMPLES ? k : spread_bits(k, n);
		unsigned times = count_value(&tally, element(width, elems, at));

		if (times > best) {
			best = times;
			best_at = at;
		}
	}
	memcpy(value_ret, (const uint8_t *)elems + best_at * width, width);
}

size_t drop_mark(uint8_t width, const void *elems, size_t n, const void *value,
		 uint8_t *holes)
{
	return hole_kernels(width)->mark(elems, n, value, holes);
}

void drop_fill(uint8_t width, const uint8_t *value, const uint8_t *holes,
	       size_t n, uint8_t *raw)
{
	hole_kernels(width)->fill(value, holes, n, raw);
}

/* The bit of one element in the mask. */
static unsigned mask_bit(const uint8_t *holes, size_t i, size_t stride)
{
	unsigned before = stride > 0 && i >= stride ? holes[i - stride] : 0;

	return holes[i] ^ before;
}

static uint8_t mask_byte(const uint8_t *holes, size_t i, size_t n,
			 size_t stride)
{
	unsigned byte = 0;

	for (size_t k = 0; k < 8 && i + k < n; k++)
		byte |= mask_bit(holes, i + k, stride) << k;
	return (uint8_t)byte;
}

/* Eight bytes of 0 or 1, the first one lowest, to eight bits. */
static uint8_t gather_bits(uint64_t bytes)
{
	return (uint8_t)(bytes * UINT64_C(0x0102040810204080) >> 56);
}

void drop_pack(const uint8_t *holes, size_t n, size_t stride, uint8_t *mask)
{
	size_t first = stride / 8 + (stride % 8 != 0), nwhole = n / 8;

	/* Bytes with bits that have no bit a stride before them. */
	for (size_t i = 0; i < first && 8 * i < n; i++)
		mask[i] = mask_byte(holes, 8 * i, n, stride);
	if (stride == 0)
		for (size_t i = 0; i < nwhole; i++)
			mask[i] = gather_bits(load_le64(holes + 8 * i));
	else
		for (size_t i = first; i < nwhole; i++)
			mask[i] =
				gather_bits(load_le64(holes + 8 * i) ^
					    load_le64(holes + 8 * i - stride));
	if (n % 8 != 0)
		mask[nwhole] = mask_byte(holes, 8 * nwhole, n, stride);
}

bool drop_unpack(const uint8_t *mask, size_t n, size_t stride, uint8_t *holes,
		 size_t *nholes_ret)
{
	const struct mask_kernels *k = mask_kernels();

	if (n % 8 != 0 && mask[n / 8] >> n % 8 != 0)
		return false;
	k->unpack(mask, n, holes);
	if (stride > 0)
		k->unxor(holes, n, stride);
	*nholes_ret = k->count(holes, n);
	return true;
}
