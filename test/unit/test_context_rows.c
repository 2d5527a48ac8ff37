/* SPDX-License-Identifier: MIT */
/*
 * lib/context/rows.c: the kernels for this processor give the numbers of the
 * plain ones, for all lengths and beginnings.  Oracle of those: test_context.
 */
#include "check.h"
#include "context/rows.h"

#define ROW 150
#define NROWS 12
#define PLANE_ROWS 4

/* What both sets make. */
struct made {
	uint32_t numbers[CONTEXT_ROW_NBYTES / sizeof(uint32_t)];
};

static void fill(struct context_grid *grid, struct buffer *memory,
		 uint64_t *seed, bool has_planes)
{
	context_grid_measure(grid, (size_t)ROW * NROWS, ROW,
			     has_planes ? PLANE_ROWS : 0);
	if (!context_grid_allocate(grid, memory))
		abort();
	for (size_t r = 0; r < NROWS; r++) {
		size_t z = r / grid->plane_rows, y = r % grid->plane_rows;
		size_t place = context_grid_place(grid, z, y);

		for (size_t x = 0; x < ROW; x++) {
			uint64_t bits = check_random(seed);

			/* Extremes now and then. */
			grid->values[place + x] =
				bits % 5 == 0 ? 65535 : (uint16_t)(bits >> 9);
			grid->misses[place + x] =
				(int16_t)(bits % 7 == 0 ?
						  -32768 :
						  (int64_t)(bits >> 40) -
							  8388608);
		}
		context_grid_end_row(grid, z, y);
	}
}

static void run(const struct context_row_kernels *k,
		const struct context_rows_input *in, uint64_t seed, size_t n,
		struct made *out)
{
	const struct context_row row = context_row_in(out->numbers);
	struct context_predictor p[2] = { { 0 } };
	uint8_t weights[CONTEXT_MISSES];

	for (unsigned i = 0; i < CONTEXT_MISSES; i++)
		weights[i] = (uint8_t)check_random_below(&seed, 32);
	for (unsigned i = 0; i < 2; i++) {
		p[i].constant = (int32_t)check_random(&seed);
		for (unsigned c = 0; c < CONTEXT_NEIGHBOURS; c++)
			p[i].coefficients[c] =
				(int16_t)((int)check_random_below(&seed, 8193) -
					  4096);
	}
	memset(out, 0x5a, sizeof(*out));
	k->predict(in, &p[0], 0, n / 3, &row);
	k->predict(in, &p[1], n / 3, n, &row);
	k->weigh(in, weights, n, &row);
}

static void compare(bool has_planes)
{
	static struct made plain, best;
	struct context_grid grid;
	struct buffer memory = { 0 };
	uint64_t seed = has_planes;

	fill(&grid, &memory, &seed, has_planes);
	for (size_t n = 1; n <= ROW; n++)
		for (size_t r = 0; r < NROWS; r++) {
			struct context_span span = {
				.z = r / grid.plane_rows,
				.y = r % grid.plane_rows,
				.first = check_random_below(&seed, ROW - n + 1),
				.n = n,
			};
			struct context_rows_input in;
			uint64_t same = check_random(&seed);

			context_rows_input_init(&in, &grid, &span);
			run(&context_rows_plain, &in, same, n, &plain);
			run(context_row_kernels(), &in, same, n, &best);
			CHECK_MEM_EQ(&plain, &best, sizeof(plain));
			/* No more than was asked for. */
			CHECK(plain.numbers[n] == 0x5a5a5a5a);
		}
	buffer_release(&memory);
}

static void test_sets_agree(void)
{
	compare(false);
	compare(true);
	if (context_row_kernels() == &context_rows_plain)
		puts("this processor has the plain set only");
}

int main(void)
{
	RUN(test_sets_agree);
	return check_report();
}
