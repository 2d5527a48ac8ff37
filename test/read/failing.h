/* SPDX-License-Identifier: MIT */
/*
 * Allocations of the library that fail, and how much they hold.  The linker
 * sends them here: see --wrap in CMakeLists.txt.
 */
#ifndef READ_FAILING_H
#define READ_FAILING_H

#include <stdbool.h>
#include <stddef.h>

/* Allocation number 'n' from now on fails, from 0. */
void failing_begin(long n);

/* No more does; whether one did since failing_begin(). */
bool failing_end(void);

/* Whether one did up to now. */
bool failing_has_failed(void);

/* How many allocations are held. */
long failing_held(void);

/* The most bytes that they ever held together since failing_reset_most(). */
size_t failing_most_nbytes(void);
void failing_reset_most(void);

#endif
