/* SPDX-License-Identifier: MIT */
/* Masks of every length and stride, and the search for a frequent value. */
#include "check.h"
#include "filter/drop.h"

#define N 300

static void test_masks(void)
{
	uint64_t seed = 5;

	for (size_t n = 1; n < N; n += 1 + n / 20)
		for (size_t stride = 0; stride < 70; stride++) {
			size_t nbytes = drop_mask_nbytes(n), count = 0, found;
			uint8_t *holes = malloc(n), *again = malloc(n);
			uint8_t *mask = malloc(nbytes);

			for (size_t i = 0; i < n; i++)
				count += holes[i] = check_random(&seed) % 3 ==
						    0;
			drop_pack(holes, n, stride, mask);
			for (size_t i = 0; i < n; i++) {
				unsigned bit = holes[i];

				if (stride > 0 && i >= stride)
					bit ^= holes[i - stride];
				CHECK((mask[i / 8] >> i % 8 & 1) == bit);
			}
			CHECK(drop_unpack(mask, n, stride, again, &found));
			CHECK_EQ_U64(found, count);
			CHECK_MEM_EQ(again, holes, n);
			for (size_t bit = n; bit < 8 * nbytes; bit++) {
				mask[bit / 8] ^= (uint8_t)(1u << bit % 8);
				CHECK(!drop_unpack(mask, n, stride, again,
						   &found));
				mask[bit / 8] ^= (uint8_t)(1u << bit % 8);
			}
			free(holes);
			free(again);
			free(mask);
		}
}

/* One element in 'share' is 7; is it found, marked, and put back? */
static void check_value(uint8_t width, size_t n, unsigned share)
{
	uint8_t *elems = calloc(n, width), *raw = calloc(n, width);
	uint8_t *holes = malloc(n), value[8] = { 0 }, expected[8];
	size_t count = 0;
	uint64_t seed = n;

	memset(expected, 7, sizeof(expected));
	for (size_t i = 0; i < n; i++) {
		bool is_value = i % share == 0;

		for (unsigned k = 0; k < width; k++)
			elems[i * width + k] =
				is_value ? 7 : (uint8_t)check_random(&seed);
		is_value = memcmp(elems + i * width, expected, width) == 0;
		count += is_value;
		if (!is_value)
			memcpy(raw + i * width, elems + i * width, width);
	}
	drop_find(width, elems, n, value);
	CHECK_MEM_EQ(value, expected, width);
	CHECK_EQ_U64(drop_mark(width, elems, n, expected, holes), count);
	for (size_t i = 0; i < n; i++)
		CHECK(holes[i] ==
		      (memcmp(elems + i * width, expected, width) == 0));
	drop_fill(width, expected, holes, n, raw);
	CHECK_MEM_EQ(raw, elems, n * width);
	free(elems);
	free(raw);
	free(holes);
}

static void test_values(void)
{
	for (unsigned width = 1; width <= 8; width *= 2) {
		check_value((uint8_t)width, 1, 1);
		check_value((uint8_t)width, 100, 5);
		check_value((uint8_t)width, 512, 10);
		/* Rhythms that a sample must not fall into. */
		check_value((uint8_t)width, 65536, 16);
		check_value((uint8_t)width, 100000, 25);
	}
}

int main(void)
{
	RUN(test_masks);
	RUN(test_values);
	return check_report();
}
