/* SPDX-License-Identifier: MIT */
/*
 * What the interop test asks a file through libnetcdf: every answer is one line
 * on standard output, so that two files that answer alike print alike.
 */
#ifndef NC3Z_TEST_INTEROP_ASK_H
#define NC3Z_TEST_INTEROP_ASK_H

#include <netcdf.h>
#include <stddef.h>

/* ask_metadata.c: dimensions, variables, attributes, names, types, groups. */
void ask_metadata(int ncid);

/* ask_writers.c: what is not allowed. */
void ask_writers(int ncid);

/* ask_values.c: good and bad hyperslabs of all variables, as all types. */
void ask_values(int ncid);

/* getters.c: the calls of one type, all with void pointers. */
struct getter {
	const char *name;
	size_t nbytes;
	int (*get_var)(int ncid, int varid, void *values);
	int (*get_var1)(int ncid, int varid, const size_t *index, void *values);
	int (*get_vara)(int ncid, int varid, const size_t *start,
			const size_t *count, void *values);
	int (*get_vars)(int ncid, int varid, const size_t *start,
			const size_t *count, const ptrdiff_t *stride,
			void *values);
	int (*get_varm)(int ncid, int varid, const size_t *start,
			const size_t *count, const ptrdiff_t *stride,
			const ptrdiff_t *imap, void *values);
	int (*get_att)(int ncid, int varid, const char *name, void *values);
};

extern const struct getter getters[];
extern const size_t ngetters;

/* A number for 'nbytes' bytes, to print in place of them. */
unsigned long long digest(const void *data, size_t nbytes);

/* Memory that is filled the same each time; ends the program if there is none. */
void *fresh(size_t nbytes);

#endif
