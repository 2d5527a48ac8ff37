/* SPDX-License-Identifier: MIT */
/*
 * What can be computed of a whole row before its elements are known: all of
 * predictions and activities but for the two elements to the left.  Compiled
 * once for the least processor of the architecture and, for x86-64, once more
 * for those that have AVX2; both give the same numbers.
 */
#ifndef NC3Z_CONTEXT_ROWS_H
#define NC3Z_CONTEXT_ROWS_H

#include "context/grid.h"
#include "context/model.h"

/* Of each element of a row. */
struct context_row {
	uint32_t *sums; /* prediction, but for W and WW, modulo 2^32 */
	uint32_t *w;    /* their coefficients */
	uint32_t *ww;
	uint32_t *activity; /* but for W and WW */
};

#define CONTEXT_ROW_NBYTES (4 * sizeof(uint32_t)) /* for each element */

/* A row and those above it and in the plane before. */
struct context_rows_input {
	const struct context_grid *grid;
	const struct context_near *near;
};

struct context_row_kernels {
	/* Elements 'first' to 'end' - 1, all of the same predictor. */
	void (*predict)(const struct context_rows_input *in,
			const struct context_predictor *predictor, size_t first,
			size_t end, const struct context_row *out);
	/*
	 * By how much the first n elements of a row of values, which are all
	 * there, are missed; 'west' stands for W and WW of the first one.
	 */
	void (*miss)(const struct context_row *row, const uint16_t *values,
		     uint16_t west, size_t n, uint16_t *magnitudes);
	/* All elements; the weights are those of a model. */
	void (*weigh)(const struct context_rows_input *in,
		      const uint8_t *weights, const struct context_row *out);
};

extern const struct context_row_kernels context_rows_plain;
extern const struct context_row_kernels context_rows_avx2;

/* Those of the best set for this processor. */
const struct context_row_kernels *context_row_kernels(void);

/* Row y of plane z, by its tiles. */
void context_row_prepare(const struct context_model *model,
			 const struct context_grid *grid, size_t z, size_t y,
			 const struct context_row *out);

#endif
