#include "filter/drop.h"

#include <string.h>

#include "base/bytes.h"

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
static size_t spread(uint64_t k, size_t n)
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
static unsigned count(struct tally *tally, uint64_t value)
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
		size_t at = n < NSAMPLES ? k : spread(k, n);
		unsigned times = count(&tally, element(width, elems, at));

		if (times > best) {
			best = times;
			best_at = at;
		}
	}
	memcpy(value_ret, (const uint8_t *)elems + best_at * width, width);
}

#define DEFINE_KERNELS(bits) \
	static size_t mark_##bits(const void *elems, size_t n, \
				  const void *value, uint8_t *restrict holes) \
	{ \
		const uint##bits##_t *x = elems; \
		uint##bits##_t v; \
		size_t nholes = 0; \
\
		memcpy(&v, value, sizeof(v)); \
		for (size_t i = 0; i < n; i++) \
			holes[i] = x[i] == v; \
		for (size_t i = 0; i < n; i++) \
			nholes += holes[i]; \
		return nholes; \
	} \
\
	static void fill_##bits(const uint8_t *value, \
				const uint8_t *restrict holes, size_t n, \
				uint8_t *restrict raw) \
	{ \
		uint##bits##_t v, x; \
\
		memcpy(&v, value, sizeof(v)); \
		for (size_t i = 0; i < n; i++) { \
			memcpy(&x, raw + i * sizeof(x), sizeof(x)); \
			x = holes[i] ? v : x; \
			memcpy(raw + i * sizeof(x), &x, sizeof(x)); \
		} \
	}

DEFINE_KERNELS(8)
DEFINE_KERNELS(16)
DEFINE_KERNELS(32)
DEFINE_KERNELS(64)

size_t drop_mark(uint8_t width, const void *elems, size_t n, const void *value,
		 uint8_t *holes)
{
	switch (width) {
	case 1:
		return mark_8(elems, n, value, holes);
	case 2:
		return mark_16(elems, n, value, holes);
	case 4:
		return mark_32(elems, n, value, holes);
	default:
		return mark_64(elems, n, value, holes);
	}
}

void drop_fill(uint8_t width, const uint8_t *value, const uint8_t *holes,
	       size_t n, uint8_t *raw)
{
	switch (width) {
	case 1:
		fill_8(value, holes, n, raw);
		break;
	case 2:
		fill_16(value, holes, n, raw);
		break;
	case 4:
		fill_32(value, holes, n, raw);
		break;
	default:
		fill_64(value, holes, n, raw);
		break;
	}
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

	/* Bytes some of whose bits have none before them. */
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

/* Eight bits to eight bytes of 0 or 1. */
static uint64_t spread_bits(uint8_t bits)
{
	uint64_t x = bits;

	x = (x | x << 28) & UINT64_C(0x0000000f0000000f);
	x = (x | x << 14) & UINT64_C(0x0003000300030003);
	return (x | x << 7) & UINT64_C(0x0101010101010101);
}

static void unpack_bits(const uint8_t *mask, size_t n, uint8_t *holes)
{
	for (size_t i = 0; i < n / 8; i++)
		store_le64(holes + 8 * i, spread_bits(mask[i]));
	for (size_t i = n / 8 * 8; i < n; i++)
		holes[i] = mask[i / 8] >> i % 8 & 1;
}

static void xor_bytes(uint8_t *restrict x, const uint8_t *restrict before,
		      size_t n)
{
	for (size_t i = 0; i < n; i++)
		x[i] ^= before[i];
}

/* How many of 'n' bytes of 0 or 1 are 1. */
static size_t count_ones(const uint8_t *bytes, size_t n)
{
	size_t ones = 0, i = 0;

	while (n - i >= 8) {
		uint64_t sums = 0;

		/* Eight sums side by side, none of which can pass 255. */
		for (unsigned k = 0; k < 255 && n - i >= 8; k++, i += 8)
			sums += load_le64(bytes + i);
		for (; sums > 0; sums >>= 8)
			ones += sums & 255;
	}
	for (; i < n; i++)
		ones += bytes[i];
	return ones;
}

bool drop_unpack(const uint8_t *mask, size_t n, size_t stride, uint8_t *holes,
		 size_t *nholes_ret)
{
	if (n % 8 != 0 && mask[n / 8] >> n % 8 != 0)
		return false;
	unpack_bits(mask, n, holes);
	/* In pieces of one stride, which do not depend on themselves. */
	for (size_t i = stride; stride > 0 && i < n; i += stride)
		xor_bytes(holes + i, holes + i - stride,
			  n - i < stride ? n - i : stride);
	*nholes_ret = count_ones(holes, n);
	return true;
}
