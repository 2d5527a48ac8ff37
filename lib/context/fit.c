/* SPDX-License-Identifier: MIT */
#include "context/fit.h"

/* What keeps terms that hardly differ from large factors. */
#define RIDGE 1e-7
#define PIVOT_MIN 1e-9

void context_fit_add(struct context_fit *fit, const double *terms,
		     double weight)
{
	for (unsigned i = 0; i < fit->count; i++) {
		double x = weight * terms[i];

		for (unsigned k = i; k <= fit->count; k++)
			fit->sums[i][k] += x * terms[k];
	}
}

/* The part that context_fit_add() leaves out, as it is the same. */
static void complete(struct context_fit *fit)
{
	for (unsigned i = 0; i < fit->count; i++) {
		fit->sums[i][i] += fit->sums[i][i] * RIDGE + RIDGE;
		for (unsigned k = 0; k < i; k++)
			fit->sums[i][k] = fit->sums[k][i];
	}
}

/* Gauss's elimination; the sums are those of a positive definite matrix. */
bool context_fit_solve(struct context_fit *fit, double *factors)
{
	const unsigned n = fit->count;

	complete(fit);
	for (unsigned i = 0; i < n; i++) {
		if (!(fit->sums[i][i] > PIVOT_MIN))
			return false;
		for (unsigned r = i + 1; r < n; r++) {
			double f = fit->sums[r][i] / fit->sums[i][i];

			for (unsigned k = i; k <= n; k++)
				fit->sums[r][k] -= f * fit->sums[i][k];
		}
	}
	for (unsigned i = n; i-- > 0;) {
		double x = fit->sums[i][n];

		for (unsigned k = i + 1; k < n; k++)
			x -= fit->sums[i][k] * factors[k];
		factors[i] = x / fit->sums[i][i];
	}
	return true;
}

bool context_fit_round(double x, double limit, int *integer_ret)
{
	if (!(x >= -limit && x <= limit))
		return false;
	*integer_ret = (int)(x < 0 ? x - 0.5 : x + 0.5);
	return true;
}
