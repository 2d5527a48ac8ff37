/* SPDX-License-Identifier: MIT */
/*
 * What the interop test asks a file through libnetcdf besides the calls that
 * nc3z_compat.h has (compat/calls.h): every answer is one line on standard
 * output, so that two files that answer alike print alike.
 */
#ifndef NC3Z_TEST_INTEROP_ASK_H
#define NC3Z_TEST_INTEROP_ASK_H

/* ask_beyond.c: odd names, netCDF-4's storage, types and groups. */
void ask_beyond(int ncid);

/* ask_writers.c: what is not allowed. */
void ask_writers(int ncid);

#endif
