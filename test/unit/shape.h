/* SPDX-License-Identifier: MIT */
/*
 * Classic files made up for tests.  A shape is what a header says; sizes and
 * places are computed from it here, without the library's help.
 */
#ifndef UNIT_SHAPE_H
#define UNIT_SHAPE_H

#include <stdbool.h>

#include "blob.h"

#define SHAPE_DIMS_MAX 6
#define SHAPE_RANK_MAX 6
#define SHAPE_VARS_MAX 24

/* No file is longer. */
#define SHAPE_OFFSET_END ((uint64_t)INT64_MAX)

struct shape_var {
	uint32_t type;
	uint32_t rank;
	uint32_t dimids[SHAPE_RANK_MAX];
	uint32_t natts;
	uint64_t begin;
};

struct shape {
	uint8_t version;
	uint64_t numrecs;
	uint32_t ndims;
	uint64_t dims[SHAPE_DIMS_MAX]; /* 0: the record dimension */
	uint32_t natts;
	uint32_t nvars;
	struct shape_var vars[SHAPE_VARS_MAX];
};

/* Bytes of one value of a type. */
uint64_t shape_type_nbytes(uint32_t type);

/*
 * Attribute number i of any list: its name is "a<i>", its type and number of
 * elements follow from i, and byte k of its values is 16 i + k.
 */
uint32_t shape_att_type(const struct shape *shape, uint32_t i);
uint64_t shape_att_nelems(uint32_t i);

/* Appends the header; dimensions are called "d<i>", variables "var_<i>". */
void shape_write(const struct shape *shape, struct blob *out);

uint64_t shape_header_nbytes(const struct shape *shape);

bool shape_is_record(const struct shape *shape, uint32_t v);

/* Bytes of a variable, of one record; false if they pass the longest file. */
bool shape_var_nbytes(const struct shape *shape, uint32_t v,
		      uint64_t *nbytes_ret);

/* Bytes of a record, with padding unless one record variable is alone. */
uint64_t shape_record_nbytes(const struct shape *shape);

/*
 * Places all variables like libnetcdf: 'gap' bytes behind the header, fixed
 * ones, records; sizes must be small enough.
 */
void shape_place(struct shape *shape, uint64_t gap);

/*
 * Where the last value ends, of variables that begin within 8 GiB; numrecs
 * must be a real number.
 */
uint64_t shape_end(const struct shape *shape);

/* How large a random shape may get. */
struct shape_limits {
	uint32_t max_length; /* of a dimension */
	uint32_t max_nrecords;
	uint32_t max_nvars; /* at most SHAPE_VARS_MAX */
	uint32_t max_rank;  /* at most SHAPE_RANK_MAX; 0: 3 */
};

/* A shape whose variables are placed as they should be. */
void shape_random(struct shape *shape, const struct shape_limits *limits,
		  uint64_t *seed);

/* Random lengths of chunks for dimensions d0 to d4, as options have them. */
const char *shape_random_chunks(char text[80], uint64_t *seed);

/* Moves some variables: gaps, overlaps, another order, far away. */
void shape_disturb(struct shape *shape, uint64_t *seed);

/*
 * Appends a file: the header, then smooth or random values up to 'size' bytes
 * in all.  A size less than that of the header cuts it.
 */
void shape_file(const struct shape *shape, uint64_t size, uint64_t *seed,
		struct blob *out);

#endif
