/* SPDX-License-Identifier: MIT */
/*
 * What can be computed of many elements of a row before they are known: all of
 * predictions and activities but for the two elements to the left.  Compiled
 * once for the least processor of the architecture and, for x86-64, once more
 * for those that have AVX2; both give the same numbers.
 */
#ifndef NC3Z_CONTEXT_ROWS_H
#define NC3Z_CONTEXT_ROWS_H

#include "context/grid.h"
#include "context/model.h"

/* Rows are worked off in so many elements, whole tiles, at most. */
#define CONTEXT_SPAN 2048

/* Of each element of such a span. */
struct context_row {
	uint32_t *sums; /* prediction, but for W and WW, modulo 2^32 */
	uint32_t *w;    /* their coefficients */
	uint32_t *ww;
	uint32_t *activity; /* but for W and WW */
};

/* Bytes of memory that it takes. */
#define CONTEXT_ROW_NBYTES (4 * CONTEXT_SPAN * sizeof(uint32_t))

static inline struct context_row context_row_in(void *memory)
{
	uint32_t *numbers = memory;

	return (struct context_row){
		.sums = numbers,
		.w = numbers + CONTEXT_SPAN,
		.ww = numbers + 2 * CONTEXT_SPAN,
		.activity = numbers + 3 * CONTEXT_SPAN,
	};
}

/* Where a span is. */
struct context_span {
	size_t z;
	size_t y;
	size_t first; /* element of the row */
	size_t n;     /* 1 to CONTEXT_SPAN */
};

/* A span's neighbours; element 0 is the first of the span. */
struct context_rows_input {
	const struct context_grid *grid;
	struct context_near near;
};

void context_rows_input_init(struct context_rows_input *in,
			     const struct context_grid *grid,
			     const struct context_span *span);

struct context_row_kernels {
	/* Elements 'first' to 'end' - 1, all of the same predictor. */
	void (*predict)(const struct context_rows_input *in,
			const struct context_predictor *predictor, size_t first,
			size_t end, const struct context_row *out);
	/* The first n elements; the weights are those of a model. */
	void (*weigh)(const struct context_rows_input *in,
		      const uint8_t *weights, size_t n,
		      const struct context_row *out);
};

extern const struct context_row_kernels context_rows_plain;
extern const struct context_row_kernels context_rows_avx2;

/* Those of the best set for this processor. */
const struct context_row_kernels *context_row_kernels(void);

/* All that is known of a span, by the tiles of the model. */
void context_row_prepare(const struct context_model *model,
			 const struct context_grid *grid,
			 const struct context_span *span,
			 const struct context_row *out);

#endif
