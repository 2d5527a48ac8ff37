/* SPDX-License-Identifier: MIT */
/*
 * What code promises, whoever asks: unit tests with random inputs of their own,
 * fuzz targets with any.  The checks are written once, here; a promise that is
 * broken is a failed check there and a finding here.
 */
#ifndef TEST_PROMISES_PROMISE_H
#define TEST_PROMISES_PROMISE_H

#include <stdbool.h>

#define PROMISE(cond) promise(!!(cond), #cond, __FILE__, __LINE__)

/* Defined by unit/promise.c and by fuzz/fuzz.c; returns 'held'. */
bool promise(bool held, const char *text, const char *file, int line);

#endif
