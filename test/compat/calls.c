/* SPDX-License-Identifier: MIT */
/*
 * Makes calls of netCDF and prints what came of them: every function, good and
 * bad arguments, every pair of types, random hyperslabs.  Built twice from this
 * source, with <netcdf.h> and with nc3z_compat.h, it must print the same.
 *
 *	calls FILE [SEED [NREQUESTS]]
 *	calls none	without a file
 *	calls memory FILE	reads the file from memory
 *	calls fatal FILE	ends as netCDF-2 ends a program
 *
 * Values are printed as sums over the memory they were read into, so also what
 * must not be written is compared.  Left out is what is undefined: NaN as an
 * integer, values after a failure.
 */
#ifdef WITH_NC3Z
#include "nc3z_compat.h"
#else
#include <netcdf.h>
#include <netcdf_mem.h>
#endif

#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_NELEMS 8000
#define BUFFER_NBYTES (8 * (3 * MAX_NELEMS))
#define CANARY 0x5a
#define MAX_RANK 64
#define NMEMTYPES 15

static unsigned char buffer[BUFFER_NBYTES];

static uint64_t random_state;

static uint64_t random_below(uint64_t end)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return end ? (random_state >> 11) % end : 0;
}

/* As FNV-1a, but of 8 bytes at a time. */
static uint64_t sum(const void *data, size_t nbytes)
{
	const unsigned char *bytes = data;
	uint64_t hash = UINT64_C(0xcbf29ce484222325), word;

	for (size_t i = 0; i < nbytes; i += sizeof(word)) {
		word = 0;
		memcpy(&word, bytes + i,
		       nbytes - i < sizeof(word) ? nbytes - i : sizeof(word));
		hash = (hash ^ word) * UINT64_C(0x100000001b3);
		hash ^= hash >> 29;
	}
	return hash;
}

static void fill_buffer(void)
{
	memset(buffer, CANARY, sizeof(buffer));
}

static void print_status(const char *call, int status)
{
	printf("%s: %d %s\n", call, status, nc_strerror(status));
}

static void print_int(const char *call, int status, int value)
{
	if (status)
		print_status(call, status);
	else
		printf("%s: %d\n", call, value);
}

static void print_size(const char *call, int status, size_t value)
{
	if (status)
		print_status(call, status);
	else
		printf("%s: %zu\n", call, value);
}

static void print_name(const char *call, int status, const char *name)
{
	if (status)
		print_status(call, status);
	else
		printf("%s: \"%s\"\n", call, name);
}

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

static void ask_typeids(int ncid)
{
	static const char *const names[] = {
		"byte",   "char",   "short",  "int",  "float",
		"double", "ubyte",  "ushort", "uint", "int64",
		"uint64", "string", "?",      "",
	};
	nc_type type = -9;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		PRINT_INT("typeid", nc_inq_typeid(ncid, names[i], &type), type);
}

static void ask_file(int ncid)
{
	int a = -9, b = -9, c = -9, d = -9;
	size_t size = 99;
	char name[NC_MAX_NAME + 1];
	int status = nc_inq(ncid, &a, &b, &c, &d);

	printf("inq: %d, %d %d %d %d\n", status, a, b, c, d);
	print_status("inq nothing", nc_inq(ncid, NULL, NULL, NULL, NULL));
	PRINT_INT("ndims", nc_inq_ndims(ncid, &a), a);
	PRINT_INT("nvars", nc_inq_nvars(ncid, &a), a);
	PRINT_INT("natts", nc_inq_natts(ncid, &a), a);
	PRINT_INT("unlimdim", nc_inq_unlimdim(ncid, &a), a);
	a = b = -9;
	PRINT_INT("unlimdims", nc_inq_unlimdims(ncid, &a, &b), a);
	printf("unlimdims: %d\n", b);
	PRINT_INT("unlimdims count", nc_inq_unlimdims(ncid, &a, NULL), a);
	PRINT_INT("format", nc_inq_format(ncid, &a), a);
	print_status("format nothing", nc_inq_format(ncid, NULL));
	PRINT_INT("format extended", nc_inq_format_extended(ncid, &a, &b), a);
	PRINT_INT("mode", nc_inq_format_extended(ncid, NULL, &b), b);

	PRINT_INT("inq_ncid", nc_inq_ncid(ncid, "x", &a), a == ncid);
	PRINT_INT("grps", nc_inq_grps(ncid, &a, NULL), a);
	PRINT_NAME("grpname", nc_inq_grpname(ncid, name), name);
	PRINT_NAME("grpname_full", nc_inq_grpname_full(ncid, &size, name),
		   name);
	PRINT_SIZE("grpname_len", nc_inq_grpname_len(ncid, &size), size);
	print_status("grp_parent", nc_inq_grp_parent(ncid, &a));
	print_status("grp_ncid", nc_inq_grp_ncid(ncid, "x", &a));
	print_status("grp_full_ncid", nc_inq_grp_full_ncid(ncid, "/x", &a));
	PRINT_INT("typeids", nc_inq_typeids(ncid, &a, NULL), a);
	ask_typeids(ncid);
	print_status("user_type",
		     nc_inq_user_type(ncid, 40, name, &size, &a, &size, &b));
	print_status("sync", nc_sync(ncid));
}

static void ask_types(int ncid)
{
	for (int type = -1; type < 20; type++) {
		char name[NC_MAX_NAME + 1];
		size_t size = 99;
		int status = nc_inq_type(ncid, type, name, &size);

		print_name("type", status, name);
		print_size("type size", status, size);
		print_status("type nothing",
			     nc_inq_type(ncid, type, NULL, NULL));
		printf("typelen: %d\n", nctypelen(type));
	}
}

static void ask_dims(int ncid)
{
	int ndims = 2, dimid, status;
	char name[2000];
	size_t length;

	if (nc_inq_ndims(ncid, &ndims) == NC_NOERR && ndims < 10000) {
		int *dimids = calloc((size_t)ndims + 1, sizeof(*dimids));

		PRINT_INT("dimids", nc_inq_dimids(ncid, NULL, dimids, 1),
			  dimids[ndims / 2]);
		free(dimids);
	}
	for (int i = -1; i <= ndims && i < 400; i++) {
		length = 99;
		status = nc_inq_dim(ncid, i, name, &length);
		print_name("dim", status, name);
		print_size("dim", status, length);
		PRINT_NAME("dimname", nc_inq_dimname(ncid, i, name), name);
		PRINT_SIZE("dimlen", nc_inq_dimlen(ncid, i, &length), length);
		print_status("dim", nc_inq_dim(ncid, i, NULL, NULL));
		print_status("dimname", nc_inq_dimname(ncid, i, NULL));
		print_status("dimlen", nc_inq_dimlen(ncid, i, NULL));
		if (status == NC_NOERR)
			PRINT_INT("dimid", nc_inq_dimid(ncid, name, &dimid),
				  dimid);
	}
	print_status("dimid", nc_inq_dimid(ncid, "no such dimension", &dimid));
	print_status("dimid", nc_inq_dimid(ncid, "", NULL));
}

/* libnetcdf writes more than a value where the attribute holds more. */
static int has_sound_fill(int ncid, int varid)
{
	nc_type type, att_type;
	size_t nelems;

	if (nc_inq_vartype(ncid, varid, &type) ||
	    nc_inq_att(ncid, varid, _FillValue, &att_type, &nelems))
		return 1;
	return nelems * (size_t)nctypelen(att_type) <= (size_t)nctypelen(type);
}

static void ask_var_extras(int ncid, int varid)
{
	int a = -9, b = -9, c = -9, status;
	size_t chunks[MAX_RANK];

	status = nc_inq_var_deflate(ncid, varid, &a, &b, &c);
	printf("deflate: %d %d %d %d\n", status, a, b, c);
	print_status("deflate",
		     nc_inq_var_deflate(ncid, varid, NULL, NULL, NULL));
	a = b = -9;
	status = nc_inq_var_szip(ncid, varid, &a, &b);
	printf("szip: %d %d %d\n", status, a, b);
	a = -9;
	PRINT_INT("fletcher32", nc_inq_var_fletcher32(ncid, varid, &a), a);
	PRINT_INT("chunking", nc_inq_var_chunking(ncid, varid, &a, chunks), a);
	PRINT_INT("endian", nc_inq_var_endian(ncid, varid, &a), a);
	print_status("endian", nc_inq_var_endian(ncid, varid, NULL));
	a = -9;
	fill_buffer();
	if (has_sound_fill(ncid, varid)) {
		status = nc_inq_var_fill(ncid, varid, &a, buffer);
		printf("fill: %d %d %016llx\n", status, a,
		       (unsigned long long)sum(buffer, 16));
	}
	PRINT_INT("no_fill", nc_inq_var_fill(ncid, varid, &a, NULL), a);
}

static void ask_var(int ncid, int varid)
{
	char name[2000];
	int ndims = -9, natts = -9, status;
	int dimids[NC_MAX_VAR_DIMS];
	nc_type type = -9;

	memset(dimids, CANARY, sizeof(dimids));
	status = nc_inq_var(ncid, varid, name, &type, &ndims, dimids, &natts);
	print_name("var", status, name);
	printf("var: %d %d %d %016llx\n", type, ndims, natts,
	       (unsigned long long)sum(dimids, sizeof(dimids)));
	PRINT_NAME("varname", nc_inq_varname(ncid, varid, name), name);
	PRINT_INT("vartype", nc_inq_vartype(ncid, varid, &type), type);
	PRINT_INT("varndims", nc_inq_varndims(ncid, varid, &ndims), ndims);
	print_status("vardimid", nc_inq_vardimid(ncid, varid, dimids));
	PRINT_INT("varnatts", nc_inq_varnatts(ncid, varid, &natts), natts);
	print_status("varnatts", nc_inq_varnatts(ncid, varid, NULL));
	print_status("varname", nc_inq_varname(ncid, varid, NULL));
	if (status == NC_NOERR)
		PRINT_INT("varid", nc_inq_varid(ncid, name, &varid), varid);
	ask_var_extras(ncid, varid);
}

#define FOR_ALL_TYPES(call) \
	call() call(_text) call(_schar) call(_uchar) call(_ubyte) call(_short) \
		call(_ushort) call(_int) call(_uint) call(_long) \
			call(_longlong) call(_ulonglong) call(_float) \
				call(_double) call(_string)

#define GET_ATT(suffix) \
	case __COUNTER__ - FIRST_ATT: \
		return nc_get_att##suffix(ncid, varid, name, (void *)buffer);

enum {
	FIRST_ATT = __COUNTER__ + 1
};

static int get_att(int ncid, int varid, const char *name, int memtype)
{
	switch (memtype) {
		FOR_ALL_TYPES(GET_ATT)
	default:
		abort();
	}
}

/* The i-th type in memory is one of integers. */
static int is_integer(int memtype, nc_type type)
{
	if (memtype == 0)
		return type != NC_FLOAT && type != NC_DOUBLE;
	return memtype != 12 && memtype != 13;
}

static int has_nan(const double *values, size_t nelems)
{
	for (size_t i = 0; i < nelems; i++)
		if (isnan(values[i]))
			return 1;
	return 0;
}

static void read_att(int ncid, int varid, const char *name, nc_type type,
		     size_t nelems)
{
	int nan = 0, status;

	if (nelems > MAX_NELEMS)
		return;
	if (nc_get_att_double(ncid, varid, name, (double *)buffer) == NC_NOERR)
		nan = has_nan((double *)buffer, nelems);
	for (int memtype = 0; memtype < NMEMTYPES; memtype++) {
		fill_buffer();
		status = get_att(ncid, varid, name, memtype);
		printf("get_att %d: %d", memtype, status);
		if ((status == NC_NOERR || status == NC_ERANGE) &&
		    !(nan && is_integer(memtype, type)))
			printf(" %016llx", (unsigned long long)sum(
						   buffer, 8 * nelems + 64));
		printf("\n");
	}
}

static void ask_atts(int ncid, int varid)
{
	int natts = 1, attnum = -9, status;
	char name[2000];
	nc_type type = -9;
	size_t nelems = 99;

	nc_inq_varnatts(ncid, varid, &natts);
	for (int i = -1; i <= natts && i < 300; i++) {
		status = nc_inq_attname(ncid, varid, i, name);
		print_name("attname", status, name);
		if (status)
			continue;
		status = nc_inq_att(ncid, varid, name, &type, &nelems);
		printf("att: %d %d %zu\n", status, type, nelems);
		PRINT_INT("attid", nc_inq_attid(ncid, varid, name, &attnum),
			  attnum);
		PRINT_INT("atttype", nc_inq_atttype(ncid, varid, name, &type),
			  type);
		PRINT_SIZE("attlen", nc_inq_attlen(ncid, varid, name, &nelems),
			   nelems);
		print_status("att", nc_inq_att(ncid, varid, name, NULL, NULL));
		print_status("attid", nc_inq_attid(ncid, varid, name, NULL));
		if (status == NC_NOERR)
			read_att(ncid, varid, name, type, nelems);
	}
	print_status("att", nc_inq_att(ncid, varid, "no such", &type, NULL));
	print_status("att NULL", nc_inq_att(ncid, varid, NULL, &type, NULL));
	print_status("attid", nc_inq_attid(ncid, varid, "no such", &attnum));
	print_status("get_att", nc_get_att(ncid, varid, "no such", buffer));
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
		       (unsigned long long)sum(buffer, sizeof(buffer)));
	printf("\n");
}

/* A variable, as the random requests see it. */
struct var {
	int varid;
	nc_type type;
	int ndims;
	int nan;
	size_t shape[MAX_RANK];
	size_t nelems;
};

static int look_up_var(int ncid, int varid, struct var *var)
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

static void read_whole(int ncid, struct var *var)
{
	struct request r = { .varid = var->varid, .form = VAR };

	/* anything may be NaN where not all can be looked at */
	var->nan = 1;
	if (var->nelems > MAX_NELEMS)
		return;
	fill_buffer();
	r.values = buffer;
	if (nc_get_var_double(ncid, var->varid, (double *)buffer) == NC_NOERR)
		var->nan = has_nan((double *)buffer, var->nelems);
	for (r.memtype = 0; r.memtype < NMEMTYPES; r.memtype++) {
		/* strings: libnetcdf has no fault to find if it reads none */
		if (r.memtype == NMEMTYPES - 1 && var->nelems == 0)
			continue;
		fill_buffer();
		printf("get_var %d %d:", var->varid, r.memtype);
		print_values(get(ncid, &r), &r, var->type, var->nan);
	}
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
	fill_buffer();
	printf("get %d form %d type %d:", var->varid, r.form, r.memtype);
	print_values(get(ncid, &r), &r, var->type, var->nan);
}

static void ask_values(int ncid, unsigned nrequests)
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

/* netCDF-2. */
static void ask_version2(const char *path)
{
	int ncid, nvars = 0, a = -9, b = -9, c = -9, d = -9, status;
	int recvars[400], nrecvars = 0;
	long recsizes[400], length = -9;
	char name[2000];
	nc_type type = -9;

	fflush(stdout);
	ncopts = NC_VERBOSE;
	print_int("ncopen", 0, ncopen("no such file", NC_NOWRITE));
	printf("ncerr: %d\n", ncerr);
	ncopts = 0;
	ncid = ncopen(path, NC_NOWRITE);
	if (ncid < 0) {
		printf("ncerr: %d\n", ncerr);
		return;
	}
	status = ncinquire(ncid, &a, &nvars, &b, &c) == ncid;
	printf("ncinquire: %d %d %d %d %d\n", status, a, nvars, b, c);
	printf("ncdimid: %d", ncdimid(ncid, "no such"));
	printf(" %d\n", ncerr);
	for (int i = -1; i <= a && i < 100; i++) {
		status = ncdiminq(ncid, i, name, &length);
		/* libnetcdf cuts it to an int */
		printf("ncdiminq: %d %d\n", status, (int)length);
		if (status >= 0)
			printf("ncdimid: %d\n", ncdimid(ncid, name));
	}
	status = nvars <= 400 ? ncrecinq(ncid, &nrecvars, recvars, recsizes) :
				0;
	printf("ncrecinq: %d %d\n", status, nrecvars);
	for (int i = 0; i < nrecvars; i++)
		printf("ncrecinq: %d %d\n", recvars[i], (int)recsizes[i]);
	for (int i = -1; i <= nvars && i < 100; i++) {
		status = ncvarinq(ncid, i, name, &type, &a, NULL, &b);
		printf("ncvarinq: %d %d %d %d\n", status, type, a, b);
		if (status >= 0)
			printf("ncvarid: %d\n", ncvarid(ncid, name));
		status = ncattname(ncid, i, 0, name);
		printf("ncattname: %d\n", status);
		if (status >= 0) {
			status = ncattinq(ncid, i, name, &type, &d);
			printf("ncattinq: %d %d %d\n", status, type, d);
			fill_buffer();
			if (d < MAX_NELEMS)
				status = ncattget(ncid, i, name, buffer);
			printf("ncattget: %d %016llx\n", status,
			       (unsigned long long)sum(buffer, sizeof(buffer)));
		}
	}
	printf("ncattinq: %d\n", ncattinq(ncid, -1, "no such", &type, &d));
	printf("ncerr: %d\n", ncerr);
	printf("ncsync: %d\n", ncsync(ncid));
	printf("ncclose: %d\n", ncclose(ncid));
	printf("ncclose: %d", ncclose(ncid));
	printf(" %d\n", ncerr);
}

static void get_version2(int ncid, const struct var *var)
{
	long start[MAX_RANK], count[MAX_RANK], stride[MAX_RANK];
	long imap[MAX_RANK], step = nctypelen(var->type);

	for (int i = 0; i < var->ndims; i++) {
		size_t length = var->shape[i];

		start[i] = (long)random_below(length + 1);
		stride[i] = 1 + (long)random_below(2);
		count[i] =
			((long)length - start[i] + stride[i] - 1) / stride[i];
		if (count[i] > 5)
			count[i] = 5;
		if (random_below(20) == 0)
			start[i] = -1;
	}
	for (int i = 0; i < var->ndims; i++) {
		imap[i] = step;
		step *= count[i] ? count[i] : 1;
	}
	if (step > 8 * MAX_NELEMS)
		return;
	fill_buffer();
	printf("ncvarget1: %d", ncvarget1(ncid, var->varid, start, buffer));
	printf(" %d", ncvarget(ncid, var->varid, start, count, buffer));
	printf(" %d",
	       ncvargets(ncid, var->varid, start, count, stride, buffer));
	printf(" %d", ncvargets(ncid, var->varid, start, count, NULL, buffer));
	printf(" %016llx", (unsigned long long)sum(buffer, sizeof(buffer)));
	printf(" %d",
	       ncvargetg(ncid, var->varid, start, count, stride, imap, buffer));
	printf(" %d %016llx\n", ncerr,
	       (unsigned long long)sum(buffer, sizeof(buffer)));
}

static void ask_values_version2(const char *path)
{
	int ncid, nvars = 0;
	struct var var;

	ncopts = 0;
	ncid = ncopen(path, NC_NOWRITE);
	if (ncid < 0)
		return;
	ncinquire(ncid, NULL, &nvars, NULL, NULL);
	for (int varid = 0; varid < nvars && varid < 100; varid++)
		for (int i = 0; i < 4; i++)
			if (look_up_var(ncid, varid, &var))
				get_version2(ncid, &var);
	ncclose(ncid);
}

static void ask_records_version2(const char *path)
{
	int ncid, nrecvars = 0, nvars = 0;
	int recvars[400];
	long recsizes[400], used = 0;
	void *places[400];

	ncopts = 0;
	ncid = ncopen(path, NC_NOWRITE);
	if (ncid < 0)
		return;
	ncinquire(ncid, NULL, &nvars, NULL, NULL);
	if (nvars <= 400)
		ncrecinq(ncid, &nrecvars, recvars, recsizes);
	for (int i = 0; i < nrecvars; i++) {
		places[i] = i % 4 == 3 ? NULL : buffer + used;
		if (recsizes[i] > BUFFER_NBYTES)
			nrecvars = 0;
		else
			used += (recsizes[i] + 7) / 8 * 8;
		if (used > BUFFER_NBYTES)
			nrecvars = 0;
	}
	for (long record = -1; nrecvars && record < 3; record++) {
		fill_buffer();
		printf("ncrecget: %d", ncrecget(ncid, record, places));
		printf(" %d %016llx\n", ncerr,
		       (unsigned long long)sum(buffer, sizeof(buffer)));
	}
	ncclose(ncid);
}

/* Without NC_WRITE, which is refused where libnetcdf may grant it. */
static void open_in_modes(const char *path)
{
	static const int modes[] = {
		NC_NOWRITE,
		NC_SHARE,
		NC_LOCK,
		NC_NETCDF4,
		NC_64BIT_OFFSET,
		NC_CDF5,
		NC_CLASSIC_MODEL,
		NC_CLASSIC_MODEL | NC_NETCDF4,
		NC_MMAP | NC_DISKLESS,
		NC_MMAP | NC_NETCDF4,
		NC_DISKLESS | NC_INMEMORY,
		NC_MMAP | NC_INMEMORY,
	};
	size_t hint = 12345;
	int ncid, mode = -9, status;

	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		status = nc_open(path, modes[i], &ncid);
		printf("open %#x: %d", modes[i], status);
		if (status == NC_NOERR) {
			nc_inq_format_extended(ncid, NULL, &mode);
			printf(" %#x %d", mode, nc_close(ncid));
		}
		printf("\n");
	}
	status = nc__open(path, NC_NOWRITE, &hint, &ncid);
	print_status("_open", status);
	if (status == NC_NOERR)
		print_status("abort", nc_abort(ncid));
}

static void open_elsewhere(void)
{
	int ncid = -9;

	print_status("open NULL", nc_open(NULL, NC_NOWRITE, &ncid));
	print_status("open nothing", nc_open("", NC_NOWRITE, &ncid));
	print_status("open spaces", nc_open("  ", NC_NOWRITE, &ncid));
	print_status("open directory", nc_open(".", NC_NOWRITE, &ncid));
	print_status("open missing", nc_open("no/such", NC_NOWRITE, &ncid));
	print_status("open below", nc_open("/dev/null/x", NC_NOWRITE, &ncid));
	print_status("write missing", nc_open("no/such", NC_WRITE, &ncid));
	print_status("open null", nc_open("/dev/null", NC_NOWRITE, &ncid));
	printf("%d\n", ncid);
}

static void *load(const char *path, size_t *nbytes)
{
	FILE *file = fopen(path, "rb");
	char *data;

	if (!file || fseek(file, 0, SEEK_END))
		abort();
	*nbytes = (size_t)ftell(file);
	data = malloc(*nbytes + 1);
	rewind(file);
	if (!data || fread(data, 1, *nbytes, file) != *nbytes)
		abort();
	fclose(file);
	return data;
}

static void open_from_memory(const char *path)
{
	size_t nbytes;
	void *data = load(path, &nbytes);
	int ncid, status;

	print_status("open_mem", nc_open_mem("x", 0, nbytes, NULL, &ncid));
	print_status("open_mem", nc_open_mem("x", 0, 7, data, &ncid));
	print_status("open_mem", nc_open_mem(NULL, 0, nbytes, data, &ncid));
	print_status("open_mem",
		     nc_open_mem("x", NC_WRITE, nbytes, data, &ncid));
	print_status("open_mem",
		     nc_open_mem("x", NC_DISKLESS, nbytes, data, &ncid));
	status = nc_open_mem("a name", 0, nbytes, data, &ncid);
	print_status("open_mem", status);
	if (status == NC_NOERR) {
		char name[100];
		size_t length;

		PRINT_NAME("path", nc_inq_path(ncid, &length, name), name);
		ask_file(ncid);
		ask_values(ncid, 1);
		print_status("close", nc_close(ncid));
	}
	status = nc_open(path, NC_DISKLESS, &ncid);
	print_status("diskless", status);
	if (status == NC_NOERR) {
		ask_file(ncid);
		print_status("close", nc_close(ncid));
	}
	free(data);
}

static void ask_path(int ncid, const char *path)
{
	size_t length = 99;
	char *name = calloc(strlen(path) + 1, 1);
	int status = nc_inq_path(ncid, &length, name);

	printf("path: %d %d %d\n", status, length == strlen(path),
	       strcmp(name, path) == 0);
	print_status("path", nc_inq_path(ncid, NULL, NULL));
	free(name);
}

static void ask_everything(int ncid, unsigned nrequests)
{
	int nvars = 1;

	ask_file(ncid);
	ask_types(ncid);
	ask_dims(ncid);
	nc_inq_nvars(ncid, &nvars);
	if (nvars < 10000) {
		int *varids = calloc((size_t)nvars + 1, sizeof(*varids));

		PRINT_INT("varids", nc_inq_varids(ncid, NULL, varids),
			  varids[nvars / 2]);
		free(varids);
	}
	for (int varid = -1; varid <= nvars && varid < 400; varid++) {
		ask_var(ncid, varid);
		ask_atts(ncid, varid);
	}
	print_status("varid", nc_inq_varid(ncid, "no such variable", &nvars));
	ask_values(ncid, nrequests);
}

static void ask_of_no_file(void)
{
	int ncids[] = { 0, -1, 1, 12345, 65536 * 77, INT_MAX, INT_MIN };

	for (size_t i = 0; i < sizeof(ncids) / sizeof(ncids[0]); i++) {
		ask_everything(ncids[i], 1);
		print_status("close", nc_close(ncids[i]));
		print_status("abort", nc_abort(ncids[i]));
		print_status("path", nc_inq_path(ncids[i], NULL, NULL));
	}
}

/* What libnetcdf says of other numbers is of no interest here. */
static void print_messages(void)
{
	for (int status = 140; status > -200; status--)
		print_status("strerror", status);
	print_status("strerror", -1000);
}

static void ask_about(const char *path, unsigned nrequests)
{
	int ncid, first, status;

	status = nc_open(path, NC_NOWRITE, &ncid);
	print_status("open", status);
	if (status)
		return;
	ask_path(ncid, path);
	ask_everything(ncid, nrequests);
	first = ncid;
	print_status("open again", nc_open(path, NC_NOWRITE, &ncid));
	printf("%d\n", first != ncid);
	print_status("close", nc_close(first));
	print_status("close", nc_close(first));
	print_status("of the closed", nc_inq_nvars(first, NULL));
	print_status("of the other", nc_inq_nvars(ncid, NULL));
	print_status("close", nc_close(ncid));
}

static void end_by_version2(const char *path)
{
	printf("before\n");
	fflush(stdout);
	ncvarid(ncopen(path, NC_NOWRITE), "no such variable");
	printf("after\n");
}

static void do_without_file(void)
{
	print_messages();
	open_elsewhere();
	ask_of_no_file();
}

int main(int argc, char **argv)
{
	const char *path = argc > 1 ? argv[1] : "none";

	if (argc > 2 && strcmp(path, "fatal") == 0) {
		end_by_version2(argv[2]);
		return 0;
	}
	if (argc > 2 && strcmp(path, "memory") == 0) {
		open_from_memory(argv[2]);
		return 0;
	}
	if (strcmp(path, "none") == 0) {
		do_without_file();
		return 0;
	}
	random_state = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
	random_state = random_state * UINT64_C(0x9e3779b97f4a7c15) + 1;
	open_in_modes(path);
	ask_about(path, argc > 3 ? (unsigned)strtoul(argv[3], NULL, 10) : 50);
	ask_version2(path);
	ask_values_version2(path);
	ask_records_version2(path);
	return 0;
}
