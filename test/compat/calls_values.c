/* SPDX-License-Identifier: MIT */
#include "calls.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int is_integer(int memtype, nc_type type)
{
	if (memtype == 0)
		return type != NC_FLOAT && type != NC_DOUBLE;
	return memtype != 12 && memtype != 13;
}

int has_nan(const double *values, size_t nelems)
{
	for (size_t i = 0; i < nelems; i++)
		if (isnan(values[i]))
			return 1;
	return 0;
}

enum {
	VAR,
	VAR1,
	VARA,
	VARS,
	VARM,
	NFORMS
};

/* How values are asked for. */
struct request {
	int varid;
	int memtype;
	int form;
	const size_t *start;
	const size_t *count;
	const ptrdiff_t *stride;
	const ptrdiff_t *imap;
	void *values;
	/* All that may be written, and a little around it. */
	void *memory;
	size_t nbytes;
};

#define GET_VAR(suffix) \
	case __COUNTER__ - FIRST_VAR: \
		switch (r->form) { \
		case VAR: \
			return nc_get_var##suffix(ncid, r->varid, r->values); \
		case VAR1: \
			return nc_get_var1##suffix(ncid, r->varid, r->start, \
						   r->values); \
		case VARA: \
			return nc_get_vara##suffix(ncid, r->varid, r->start, \
						   r->count, r->values); \
		case VARS: \
			return nc_get_vars##suffix(ncid, r->varid, r->start, \
						   r->count, r->stride, \
						   r->values); \
		default: \
			return nc_get_varm##suffix(ncid, r->varid, r->start, \
						   r->count, r->stride, \
						   r->imap, r->values); \
		}

enum {
	FIRST_VAR = __COUNTER__ + 1
};

static int get(int ncid, const struct request *r)
{
	switch (r->memtype) {
		FOR_ALL_TYPES(GET_VAR)
	default:
		abort();
	}
}

static void print_values(int status, const struct request *r, nc_type type,
			 int nan)
{
	printf(" %d", status);
	if ((status == NC_NOERR || status == NC_ERANGE) &&
	    !(nan && is_integer(r->memtype, type)))
		printf(" %016llx",
		       (unsigned long long)sum(r->memory, r->nbytes));
	printf("\n");
}

int look_up_var(int ncid, int varid, struct var *var)
{
	int dimids[NC_MAX_VAR_DIMS];

	var->varid = varid;
	if (nc_inq_vartype(ncid, varid, &var->type) ||
	    nc_inq_varndims(ncid, varid, &var->ndims) ||
	    var->ndims > MAX_RANK || nc_inq_vardimid(ncid, varid, dimids))
		return 0;
	var->nelems = 1;
	for (int i = 0; i < var->ndims; i++) {
		if (nc_inq_dimlen(ncid, dimids[i], &var->shape[i]))
			return 0;
		if (var->shape[i] && var->nelems > SIZE_MAX / var->shape[i])
			var->nelems = SIZE_MAX;
		else
			var->nelems *= var->shape[i];
	}
	return 1;
}

/* A variable of more elements is not read whole. */
#define WHOLE_NELEMS_MAX 400000

static void read_whole(int ncid, struct var *var)
{
	struct request r = { .varid = var->varid, .form = VAR };

	/* anything may be NaN where not all can be looked at */
	var->nan = 1;
	if (var->nelems > WHOLE_NELEMS_MAX)
		return;
	r.nbytes = 8 * var->nelems + 256;
	r.memory = r.values = malloc(r.nbytes);
	if (!r.memory)
		abort();
	if (nc_get_var_double(ncid, var->varid, r.values) == NC_NOERR)
		var->nan = has_nan(r.values, var->nelems);
	for (r.memtype = 0; r.memtype < NMEMTYPES; r.memtype++) {
		/* strings: libnetcdf has no fault to find if it reads none */
		if (r.memtype == NMEMTYPES - 1 && var->nelems == 0)
			continue;
		memset(r.memory, CANARY, r.nbytes);
		printf("get_var %d %d:", var->varid, r.memtype);
		print_values(get(ncid, &r), &r, var->type, var->nan);
	}
	free(r.memory);
}

/* An index or count around 'length'. */
static size_t around(size_t length)
{
	switch (random_below(12)) {
	case 0:
		return length;
	case 1:
		return length + 1;
	case 2:
		return 0;
	case 3:
		return random_below(2) ? (size_t)1 << 31 : length / 2;
	default:
		return random_below(length + 1);
	}
}

static size_t some_count(size_t length, size_t start, ptrdiff_t stride)
{
	size_t left = length > start ? length - start : 0;

	if (random_below(12) == 0)
		return around(length);
	if (stride > 1)
		left = (left + (size_t)stride - 1) / (size_t)stride;
	return left < 2 || random_below(5) == 0 ? left : 1 + random_below(left);
}

static ptrdiff_t some_stride(size_t length)
{
	switch (random_below(40)) {
	case 0:
		return 0;
	case 1:
		return -1;
	case 2:
		return PTRDIFF_MAX;
	case 3:
		return INT_MAX;
	case 4:
		return INT_MAX - 1;
	case 5:
		return (ptrdiff_t)length + 1;
	case 6:
	case 7:
	case 8:
	case 9:
		return 1 + (ptrdiff_t)random_below(length + 1);
	default:
		return 1 + (ptrdiff_t)random_below(3);
	}
}

/* Counts are cut down until all values fit into a third of the buffer. */
static void limit_counts(size_t *count, int ndims)
{
	for (;;) {
		size_t nelems = 1;
		int largest = 0;

		for (int i = 0; i < ndims; i++) {
			nelems = count[i] && nelems > MAX_NELEMS / count[i] ?
					 MAX_NELEMS + 1 :
					 nelems * count[i];
			if (count[i] > count[largest])
				largest = i;
		}
		if (nelems <= MAX_NELEMS)
			return;
		count[largest] = count[largest] / 2;
	}
}

/*
 * Packed values with the dimensions in another order, some backwards or all on
 * one place; within a third of the buffer to either side of its middle.
 */
static void some_imap(const size_t *count, int ndims, ptrdiff_t *imap)
{
	int order[MAX_RANK];
	ptrdiff_t step = 1;

	for (int i = 0; i < ndims; i++) {
		int other = (int)random_below((uint64_t)i + 1);

		order[i] = order[other];
		order[other] = i;
	}
	for (int i = ndims; i-- > 0;) {
		imap[order[i]] = step;
		if (count[order[i]] > 1)
			step *= (ptrdiff_t)count[order[i]];
	}
	for (int i = 0; i < ndims; i++) {
		if (random_below(8) == 0)
			imap[i] = -imap[i];
		else if (random_below(12) == 0)
			imap[i] = 0;
	}
}

/* Few dimensions or all are wrong, in some calls. */
static void make_slab(const struct var *var, size_t *start, size_t *count,
		      ptrdiff_t *stride)
{
	int is_mild = random_below(3) != 0;

	for (int i = 0; i < var->ndims; i++) {
		size_t length = var->shape[i];

		if (is_mild) {
			start[i] = length ? random_below(length) : 0;
			stride[i] = 1 + (ptrdiff_t)random_below(3);
			count[i] = length - start[i];
			count[i] = (count[i] + (size_t)stride[i] - 1) /
				   (size_t)stride[i];
			if (count[i] > 1 && random_below(3))
				count[i] = 1 + random_below(count[i]);
		} else {
			start[i] = around(length);
			stride[i] = random_below(2) ? 1 : some_stride(length);
			count[i] = some_count(length, start[i], stride[i]);
		}
	}
	limit_counts(count, var->ndims);
}

/*
 * What is filled before the call and looked at after it: as many elements as
 * the call may write, to both sides as imap may be negative, and some around
 * them; or all of the buffer.
 */
static void look_around(struct request *r, const struct var *var)
{
	size_t nelems = r->count ? 1 : var->nelems;

	for (int i = 0; r->count && i < var->ndims; i++)
		nelems *= r->count[i];
	nelems = nelems + 64 < MAX_NELEMS ? nelems + 64 : MAX_NELEMS;
	r->memory = (unsigned char *)r->values - 8 * nelems;
	r->nbytes = 16 * nelems;
	if (random_below(8) == 0) {
		r->memory = buffer;
		r->nbytes = sizeof(buffer);
	}
}

static void request_some(int ncid, const struct var *var)
{
	size_t start[MAX_RANK], count[MAX_RANK];
	ptrdiff_t stride[MAX_RANK], imap[MAX_RANK];
	struct request r = { .varid = var->varid };

	/* strings: libnetcdf looks at everything else first */
	r.memtype = (int)random_below(NMEMTYPES - 1);
	r.form = (int)random_below(NFORMS - 1) + VAR1;
	make_slab(var, start, count, stride);
	some_imap(count, var->ndims, imap);
	if (random_below(4) == 0)
		for (int i = 0; i < var->ndims; i++)
			stride[i] = 1;
	r.start = random_below(40) ? start : NULL;
	/* all of the dimensions, so all must fit */
	r.count = random_below(20) || var->nelems > MAX_NELEMS ? count : NULL;
	r.stride = random_below(5) ? stride : NULL;
	r.imap = r.count && random_below(4) ? imap : NULL;
	if (r.form != VARM)
		r.imap = NULL;
	/* where negative steps have room */
	r.values = buffer + 8 * MAX_NELEMS;
	look_around(&r, var);
	memset(r.memory, CANARY, r.nbytes);
	printf("get %d form %d type %d:", var->varid, r.form, r.memtype);
	print_values(get(ncid, &r), &r, var->type, var->nan);
}

void ask_values(int ncid, unsigned nrequests)
{
	int nvars = 0;

	nc_inq_nvars(ncid, &nvars);
	for (int varid = 0; varid < nvars && varid < 400; varid++) {
		struct var var;

		if (!look_up_var(ncid, varid, &var))
			continue;
		read_whole(ncid, &var);
		for (unsigned i = 0; i < nrequests; i++)
			request_some(ncid, &var);
	}
	for (int i = 0; i < NMEMTYPES; i++) {
		size_t zero[MAX_RANK] = { 0 };
		struct request r = { .memtype = i,
				     .start = zero,
				     .count = zero,
				     .values = buffer };

		for (r.form = VAR; r.form < NFORMS; r.form++) {
			r.varid = -1;
			print_status("get -1", get(ncid, &r));
			r.varid = nvars;
			print_status("get nvars", get(ncid, &r));
		}
	}
}
