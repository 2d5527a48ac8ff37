/* SPDX-License-Identifier: MIT */
/*
 * The header of a netCDF classic file (CDF-1, CDF-2, CDF-5) in memory.
 *
 * The parser is given bytes and asks for more; it does no I/O.  It accepts
 * what libnetcdf accepts and more: names of any bytes, duplicate names,
 * padding of any value, wrong vsize, several dimensions of length 0.  Whether
 * the variables lie where the header says is not its business (see layout.h).
 */
#ifndef NC3Z_CLASSIC_HEADER_H
#define NC3Z_CLASSIC_HEADER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "classic/types.h"

/* A name as it stands in the header: any bytes, no NUL at the end. */
struct classic_name {
	const char *bytes;
	size_t nbytes;
};

struct classic_dim {
	struct classic_name name;
	uint64_t length; /* 0: the record dimension */
};

struct classic_att {
	struct classic_name name;
	enum classic_type type;
	uint64_t nelems;
	const uint8_t *values; /* external */
};

struct classic_atts {
	struct classic_att *list;
	size_t count;
};

struct classic_var {
	struct classic_name name;
	enum classic_type type;
	uint64_t *dimids; /* each less than the number of dimensions */
	size_t ndims;
	struct classic_atts atts;
	uint64_t vsize; /* as written; sizes are computed from the shape */
	uint64_t begin; /* offset of the first value */
};

struct classic_header {
	uint8_t version;       /* 1, 2 or 5 */
	uint64_t numrecs;      /* records; see is_indeterminate */
	bool is_indeterminate; /* numrecs is "as many as there are" */
	struct classic_dim *dims;
	size_t ndims;
	struct classic_atts atts; /* of the file */
	struct classic_var *vars;
	size_t nvars;
	uint64_t nbytes; /* length of the header */
};

/*
 * Parses a header from the first 'data_nbytes' bytes of a file.  'is_whole'
 * says that the file has no more.  If more bytes are needed, '*more_ret' is
 * set and nothing is kept: call again with at least twice as many.  The header
 * points into 'data', which must outlive it.
 *
 * Returns NC3Z_OK; NC3Z_ENOTCLASSIC with offset and reason; NC3Z_ENOMEM.
 */
int classic_header_parse(const uint8_t *data, size_t data_nbytes, bool is_whole,
			 struct classic_header *header_ret, bool *more_ret,
			 struct nc3z_error *err);

/* With a NUL at the end, to be freed with free(); NULL if out of memory. */
char *classic_name_copy(const struct classic_name *name);

/* Frees what parsing allocated; a zero-initialised header is allowed. */
void classic_header_release(struct classic_header *header);

/* Whether the first dimension of a variable is the record dimension. */
bool classic_var_is_record(const struct classic_header *header,
			   const struct classic_var *var);

/*
 * Elements of a variable, of one record for a record variable; 1 for a
 * scalar.  False if that does not fit.
 */
bool classic_var_nelems(const struct classic_header *header,
			const struct classic_var *var, uint64_t *nelems_ret);

/* refusal.c */

/*
 * Why libnetcdf 4.9 would refuse a file with this header, as a constant
 * sentence; NULL if it would open it.  Readers that give libnetcdf's answers
 * refuse such a file too, it is packed all the same.  'var_ret' gets the
 * variable that is at fault, NULL if none is known.
 */
const char *classic_refusal(const struct classic_header *header,
			    const struct classic_var **var_ret);

/* The same with the variable and its offset; false if there is none. */
bool classic_refusal_text(const struct classic_header *header, char *text,
			  size_t text_nbytes);

#endif
