/* SPDX-License-Identifier: MIT */
/*
 * Where the values of a variable are in the streams.
 *
 * A variable's values in row-major order, without padding and with its records
 * joined, are its *bytes*: element i of width w has bytes i w to i w + w - 1.
 * Most variables are a member of a stream, and then the joined records of the
 * member begin with these bytes: those of a record member are nothing else, a
 * fixed member has up to three bytes of padding after them.  Small variables,
 * and those that have no bytes to themselves, are found by their offsets in the
 * original, in streams of no variable.
 */
#ifndef NC3Z_HYPERSLAB_VARIABLE_H
#define NC3Z_HYPERSLAB_VARIABLE_H

#include "plan/map.h"

#define PLAN_NO_STREAM UINT32_MAX

struct hyperslab_variable {
	uint32_t stream; /* PLAN_NO_STREAM: it is no member */
	uint32_t member;
	uint64_t begin;         /* offset in the original; of record 0 */
	uint64_t nbytes;        /* of its values; of one record */
	uint64_t record_nbytes; /* from record to record; 0 if fixed */
	uint64_t nrecords;      /* UINT64_MAX: up to the end; 1 if fixed */
};

/*
 * One entry for each variable of the header, to be freed with free().  A member
 * that a (foreign) plan gives to a variable whose values the header places
 * elsewhere is not taken for it: the offsets of the header decide.
 *
 * Returns NC3Z_OK, NC3Z_ENOMEM.
 */
int hyperslab_variables_make(const struct plan *plan,
			     const struct classic_header *header,
			     struct hyperslab_variable **variables_ret,
			     struct nc3z_error *err);

/*
 * Byte 'offset' of a variable, and how many of its bytes follow each other in
 * the stream.  'nbytes' is 0 where the original, the records, or the bytes of
 * the variable end before.
 */
struct plan_run
hyperslab_variable_run(const struct plan_map *map,
		       const struct hyperslab_variable *variable,
		       uint64_t offset);

#endif
