/*
 * Allocations of the library that fail.  The linker sends them here: see
 * --wrap in CMakeLists.txt.
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

#endif
