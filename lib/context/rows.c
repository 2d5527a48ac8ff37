/* SPDX-License-Identifier: MIT */
/*
 * Loops that compilers turn into vector code.  All arithmetic is that of
 * unsigned integers of 32 bits, which wraps.
 */
#include "context/rows.h"

/* Coefficients and weights as the loops want them. */
#define COEFFICIENT(name) \
	((uint32_t)(int32_t)predictor->coefficients[CONTEXT_##name])

static void predict_above(const struct context_rows_input *in,
			  const struct context_predictor *predictor,
			  size_t first, size_t end, uint32_t *restrict sums)
{
	const uint16_t *n = in->grid->values + in->near.n;
	const uint16_t *nn = in->grid->values + in->near.nn;
	const uint32_t cn = COEFFICIENT(N), cnw = COEFFICIENT(NW),
		       cne = COEFFICIENT(NE), cnn = COEFFICIENT(NN),
		       cnee = COEFFICIENT(NEE), cnww = COEFFICIENT(NWW),
		       c = (uint32_t)predictor->constant + 256;

	for (size_t x = first; x < end; x++) {
		const uint16_t *at = n + x;

		sums[x] = c + cn * at[0] + cne * at[1] + cnee * at[2] +
			  cnw * *(at - 1) + cnww * *(at - 2) + cnn * nn[x];
	}
}

static void predict_before(const struct context_rows_input *in,
			   const struct context_predictor *predictor,
			   size_t first, size_t end, uint32_t *restrict sums)
{
	const uint16_t *t = in->grid->values + in->near.t;
	const uint16_t *tn = in->grid->values + in->near.tn;
	const uint16_t *ts = in->grid->values + in->near.ts;
	const uint32_t ct = COEFFICIENT(T), ctw = COEFFICIENT(TW),
		       ctn = COEFFICIENT(TN), cte = COEFFICIENT(TE),
		       cts = COEFFICIENT(TS), ctnw = COEFFICIENT(TNW);

	for (size_t x = first; x < end; x++) {
		const uint16_t *at = t + x, *above = tn + x;

		sums[x] += ct * at[0] + cte * at[1] + ctw * *(at - 1) +
			   ctn * above[0] + ctnw * *(above - 1) + cts * ts[x];
	}
}

static void predict(const struct context_rows_input *in,
		    const struct context_predictor *predictor, size_t first,
		    size_t end, const struct context_row *out)
{
	predict_above(in, predictor, first, end, out->sums);
	if (in->grid->has_planes)
		predict_before(in, predictor, first, end, out->sums);
	for (size_t x = first; x < end; x++) {
		out->w[x] = COEFFICIENT(W);
		out->ww[x] = COEFFICIENT(WW);
	}
}

static inline uint32_t magnitude(int16_t x)
{
	return x < 0 ? (uint32_t)-x : (uint32_t)x;
}

static void weigh_above(const struct context_rows_input *in,
			const uint8_t *weights, size_t count,
			uint32_t *restrict activity)
{
	const int16_t *n = in->grid->misses + in->near.n;
	const int16_t *nn = in->grid->misses + in->near.nn;
	const uint32_t an = weights[CONTEXT_MISS_N],
		       anw = weights[CONTEXT_MISS_NW],
		       ane = weights[CONTEXT_MISS_NE],
		       ann = weights[CONTEXT_MISS_NN];

	for (size_t x = 0; x < count; x++) {
		const int16_t *at = n + x;

		activity[x] = an * magnitude(at[0]) + ane * magnitude(at[1]) +
			      anw * magnitude(*(at - 1)) +
			      ann * magnitude(nn[x]);
	}
}

static void weigh_before(const struct context_rows_input *in,
			 const uint8_t *weights, size_t count,
			 uint32_t *restrict activity)
{
	const int16_t *t = in->grid->misses + in->near.t;
	const int16_t *ts = in->grid->misses + in->near.ts;
	const uint32_t at = weights[CONTEXT_MISS_T],
		       ate = weights[CONTEXT_MISS_TE],
		       ats = weights[CONTEXT_MISS_TS];

	for (size_t x = 0; x < count; x++) {
		const int16_t *here = t + x;

		activity[x] += at * magnitude(here[0]) +
			       ate * magnitude(here[1]) +
			       ats * magnitude(ts[x]);
	}
}

static void weigh(const struct context_rows_input *in, const uint8_t *weights,
		  size_t n, const struct context_row *out)
{
	weigh_above(in, weights, n, out->activity);
	if (in->grid->has_planes)
		weigh_before(in, weights, n, out->activity);
}

#ifdef NC3Z_KERNELS_AVX2
const struct context_row_kernels context_rows_avx2 = {
#else
const struct context_row_kernels context_rows_plain = {
#endif
	.predict = predict,
	.weigh = weigh,
};
