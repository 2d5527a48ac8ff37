/* SPDX-License-Identifier: MIT */
/*
 * Calls of netCDF, and what comes of them on standard output: every function,
 * good and bad arguments, every pair of types, random hyperslabs.
 *
 * Built twice from this source, with <netcdf.h> and with nc3z_compat.h, it must
 * print the same (compare.py); and so it must with <netcdf.h> alone, of a file
 * and of its archive, if libnetcdf has the plug-in (../interop/ask.c).
 *
 * Values are printed as sums over the memory they were read into, so also what
 * must not be written is compared.  Left out is what is undefined: NaN as an
 * integer, values after a failure.
 */
#ifndef NC3Z_TEST_COMPAT_CALLS_H
#define NC3Z_TEST_COMPAT_CALLS_H

#ifdef WITH_NC3Z
#include "nc3z_compat.h"
#else
#include <netcdf.h>
#include <netcdf_mem.h>
#endif

#include <stddef.h>
#include <stdint.h>

#define MAX_NELEMS 8000
#define BUFFER_NBYTES (8 * (3 * MAX_NELEMS))
#define CANARY 0x5a
#define MAX_RANK 64
#define NMEMTYPES 15

/* One call for each type in memory, 0 for that of the variable. */
#define FOR_ALL_TYPES(call) \
	call() call(_text) call(_schar) call(_uchar) call(_ubyte) call(_short) \
		call(_ushort) call(_int) call(_uint) call(_long) \
			call(_longlong) call(_ulonglong) call(_float) \
				call(_double) call(_string)

/* What values are read into, and what it is filled with before. */
extern unsigned char buffer[BUFFER_NBYTES];
void fill_buffer(void);
uint64_t sum(const void *data, size_t nbytes);

void random_seed(uint64_t seed);
uint64_t random_below(uint64_t end);

void print_status(const char *call, int status);
void print_int(const char *call, int status, int value);
void print_size(const char *call, int status, size_t value);
void print_name(const char *call, int status, const char *name);

/* The value after the call. */
#define PRINT_INT(name, call, value) \
	do { \
		int status_ = call; \
		print_int(name, status_, value); \
	} while (0)
#define PRINT_SIZE(name, call, value) \
	do { \
		int status_ = call; \
		print_size(name, status_, value); \
	} while (0)
#define PRINT_NAME(name, call, value) \
	do { \
		int status_ = call; \
		print_name(name, status_, value); \
	} while (0)

/* calls_metadata.c */
void ask_metadata(int ncid);
void ask_file(int ncid); /* a part of it: not dimensions, not variables */

/* calls_values.c: so many random requests for each variable. */
void ask_values(int ncid, unsigned nrequests);

/* The i-th type in memory is one of integers. */
int is_integer(int memtype, nc_type type);

int has_nan(const double *values, size_t nelems);

/* A variable, as requests see it. */
struct var {
	int varid;
	nc_type type;
	int ndims;
	int nan;
	size_t shape[MAX_RANK];
	size_t nelems;
};

int look_up_var(int ncid, int varid, struct var *var);

/* calls_version2.c: netCDF-2. */
void ask_by_version2(const char *path);

/* Ends as netCDF-2 ends a program. */
void end_by_version2(const char *path);

/* calls.c: all of this, of a file, from memory, or without a file. */
void calls_of_file(const char *path, uint64_t seed, unsigned nrequests);
void calls_of_memory(const char *path);
void calls_without_file(void);

#endif
