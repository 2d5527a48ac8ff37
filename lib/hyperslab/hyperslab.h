/* SPDX-License-Identifier: MIT */
/*
 * Hyperslabs: which elements of a variable a request takes, and where in the
 * caller's array they go.
 *
 * The elements of a variable are numbered in row-major order: that number is
 * the *linear index*.  A request (start, count, stride, imap for each
 * dimension) is brought into a canonical form in which dimensions of one
 * element are gone and dimensions that continue each other in the variable and
 * in the array are one: whole planes, or every second element of a variable of
 * any rank, are a single run.  A cursor walks the runs in ascending order of
 * linear index, from any index on and up to any other: a request can be worked
 * off block by block, by several threads that know nothing of each other.
 *
 * Arithmetic only; nothing is allocated.
 */
#ifndef NC3Z_HYPERSLAB_HYPERSLAB_H
#define NC3Z_HYPERSLAB_HYPERSLAB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

/* Which netCDF call is made; this decides what is missing and what is wrong. */
enum hyperslab_form {
	HYPERSLAB_VAR,  /* all elements; only shape is looked at */
	HYPERSLAB_VAR1, /* the element at start; NULL start is bad */
	HYPERSLAB_VARA, /* start and count */
	HYPERSLAB_VARS, /* and stride */
	HYPERSLAB_VARM, /* and imap */
};

/*
 * The arguments of a call, for each of 'rank' dimensions.  As in libnetcdf,
 * NULL count stands for the whole shape (wherever start is), NULL stride for
 * ones, NULL imap for a packed array.
 */
struct hyperslab_request {
	enum hyperslab_form form;
	bool is_record; /* shape[0] is the number of records */
	size_t rank;    /* 0: a scalar, the arrays are not looked at */
	const uint64_t *shape;
	const size_t *start;
	const size_t *count;
	const ptrdiff_t *stride;
	const ptrdiff_t *imap; /* in elements; zero and negative are valid */
};

/* hyperslab/check.c */

enum hyperslab_fault {
	HYPERSLAB_OK,
	HYPERSLAB_BAD_START,  /* NC_EINVALCOORDS */
	HYPERSLAB_BAD_EDGE,   /* NC_EEDGE */
	HYPERSLAB_BAD_STRIDE, /* NC_ESTRIDE */
};

/* Strides from here on are refused: the largest int of the classic format. */
#define HYPERSLAB_STRIDE_END INT32_MAX

/*
 * libnetcdf 4.9.0's verdict on the arguments: of several faults, the same; and
 * the dimension in which that is, or the rank if it is in none ('dimension_ret'
 * may be NULL).
 */
enum hyperslab_fault hyperslab_check(const struct hyperslab_request *request,
				     size_t *dimension_ret);

/* hyperslab.c */

/* One dimension of a request, with defaults filled in. */
struct hyperslab_extent {
	uint64_t start;
	uint64_t count;
	uint64_t stride;
};

struct hyperslab_extent
hyperslab_extent(const struct hyperslab_request *request, size_t i);

/*
 * A canonical slab has at least one dimension; none but a lone one has less
 * than two elements, and all together have less than 2^63.
 */
#define HYPERSLAB_NDIMS_MAX 62

struct hyperslab_dim {
	uint64_t count;
	uint64_t in_step;   /* at least 1; more than all faster ones span */
	ptrdiff_t out_step; /* in elements */
};

/* It has no pointers: it may be copied. */
struct hyperslab {
	uint64_t nelems;     /* 0: nothing, and nothing below is set */
	uint64_t in_first;   /* linear index of the first element */
	uint64_t in_last;    /* and of the last, less than INT64_MAX */
	ptrdiff_t out_first; /* place of the first one in the array */
	size_t ndims;
	struct hyperslab_dim dims[HYPERSLAB_NDIMS_MAX]; /* the fastest first */
};

/*
 * Makes the slab of a request that hyperslab_check() finds nothing wrong with.
 *
 * Returns NC3Z_OK; NC3Z_ELIMIT if linear indices do not fit.
 */
int hyperslab_init(struct hyperslab *slab,
		   const struct hyperslab_request *request,
		   struct nc3z_error *err);

/*
 * The step that hyperslab_init() repeats, for slabs that are made otherwise:
 * adds a dimension that is slower than those before; at the end a slab of one
 * element gets its only one.
 */
void hyperslab_add_dim(struct hyperslab *slab, struct hyperslab_dim dim);
void hyperslab_end_dims(struct hyperslab *slab);

/* a + n * step, wrapping as the caller's own arithmetic would. */
static inline ptrdiff_t hyperslab_out_add(ptrdiff_t a, uint64_t n,
					  ptrdiff_t step)
{
	return (ptrdiff_t)((size_t)a + (size_t)n * (size_t)step);
}

/* Elements at equal distances, both in the variable and in the array. */
struct hyperslab_run {
	uint64_t in_first;
	uint64_t in_step;
	uint64_t nelems;
	ptrdiff_t out_first;
	ptrdiff_t out_step;
};

struct hyperslab_cursor {
	const struct hyperslab *slab; /* must outlive the cursor */
	struct hyperslab_run left;    /* of this row; nelems 0: at the end */
	uint64_t row_in;              /* the first element of this row */
	ptrdiff_t row_out;
	uint64_t row[HYPERSLAB_NDIMS_MAX]; /* its place; row[0] is not used */
};

/*
 * Sets the cursor on the first element of the slab whose linear index is not
 * less than 'linear'; false, and a cursor at the end, if there is none.
 */
bool hyperslab_seek(const struct hyperslab *slab, uint64_t linear,
		    struct hyperslab_cursor *cursor_ret);

/*
 * The next run of elements whose linear indices are less than 'in_end'; the
 * cursor goes past it.  False if the cursor stands at or after 'in_end', or
 * at the end.
 */
bool hyperslab_next_run(struct hyperslab_cursor *cursor, uint64_t in_end,
			struct hyperslab_run *run_ret);

#endif
