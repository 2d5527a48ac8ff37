/* SPDX-License-Identifier: MIT */
/*
 * Shared by all calls of Fortran: text, numbers that count from 1, dimensions
 * in the other order.
 */
#ifndef NC3Z_FORTRAN_FORTRAN_H
#define NC3Z_FORTRAN_FORTRAN_H

#include "nc3z_compat.h"

#include <stdlib.h>

/*
 * A string of 'text', up to a NUL in it or the blanks at its end; to be freed.
 * NULL if there is no memory.
 */
char *nc3zf_new_string(const char *text, size_t text_nbytes);

/* Sets 'status' by a call that uses 'string', which is what 'text' holds. */
#define CALL_WITH_STRING(status, text, call) \
	do { \
		char *string = nc3zf_new_string(text, text##_nbytes); \
\
		status = string ? (call) : NC_ENOMEM; \
		free(string); \
	} while (0)

/* Hands on 'status'; the text is blank if that is bad. */
int nc3zf_give_text(int status, const char *string, char *text,
		    size_t text_nbytes);

/* Numbers and IDs that the calls of C leave alone when they fail. */
int nc3zf_give_length(int status, size_t length, int *length_ret);
int nc3zf_give_id(int status, int *id_ret);

/* The dimensions of a variable, whose number is that of C, as Fortran's. */
int nc3zf_give_dimids(int ncid, int varid, int *dimids);

/* As Fortran says it; what a form does not have is NULL. */
struct nc3zf_hyperslab {
	enum nc3z_compat_form form;
	const int *start;
	const int *count;
	const int *stride;
	const int *imap;
	const ptrdiff_t *steps; /* as C says it, in place of imap */
};

/* Of no variable, and of a scalar, no place is handed on. */
int nc3zf_get_var(int ncid, int varid, const struct nc3zf_hyperslab *slab,
		  nc_type memtype, void *values);

#endif
