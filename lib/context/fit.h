/* SPDX-License-Identifier: MIT */
/*
 * Linear regression with weights.  Sums and products of doubles, each rounded
 * as IEEE 754 says, in one order: the same on every machine.
 */
#ifndef NC3Z_CONTEXT_FIT_H
#define NC3Z_CONTEXT_FIT_H

#include <stdbool.h>

#define CONTEXT_FIT_MAX 15

/* Sums of products of 'count' terms and, last, the target. */
struct context_fit {
	unsigned count;
	double sums[CONTEXT_FIT_MAX][CONTEXT_FIT_MAX + 1];
};

/* Adds an equation; 'terms' has the target after the terms. */
void context_fit_add(struct context_fit *fit, const double *terms,
		     double weight);

/*
 * Solves for the factors of the terms; those that others make superfluous are
 * small.  False if sums are no numbers.
 */
bool context_fit_solve(struct context_fit *fit, double *factors);

/* The nearest integer, if it is from -limit to limit; or false. */
bool context_fit_round(double x, double limit, int *integer_ret);

#endif
