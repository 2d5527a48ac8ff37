/* SPDX-License-Identifier: MIT */
/*
 * The reading calls of netCDF-2 for Fortran 77.  nc_advise() prints what went
 * wrong and ends the program, as ncpopt() says; otherwise the status is in
 * 'rcode'.
 *
 * Two things differ from netcdf-fortran, where they are not defined: text that
 * is longer than its argument gives NC_ESTS and is not written beyond it; and
 * variables and attributes of the types of CDF-5, which netCDF-2 does not know,
 * give NC_EBADTYPE, not success and no values.
 */
#include "fortran/fortran.h"

#include <stdbool.h>
#include <string.h>

static void give_status(const char *routine, int status, int *rcode)
{
	*rcode = 0;
	if (status == NC_NOERR)
		return;
	nc_advise(routine, status, "%s", "");
	*rcode = ncerr;
}

/* The result of a call of netCDF-2 that has reported its own failure. */
static int give_result(int result, int *rcode)
{
	*rcode = result == -1 ? ncerr : 0;
	return result;
}

static int give_id(int id, int *rcode)
{
	return give_result(id, rcode) == -1 ? -1 : id + 1;
}

void ncpopt_(const int *options)
{
	ncopts = *options;
}

void ncgopt_(int *options)
{
	*options = ncopts;
}

int nctlen_(const int *type, int *rcode)
{
	return give_result(nctypelen(*type), rcode);
}

/* Files. */

int ncopn_(const char *path, const int *mode, int *rcode, size_t path_nbytes)
{
	char *string;
	int ncid = -1;

	if (*mode < 0 ||
	    *mode > NC_WRITE + NC_SHARE + NC_CLASSIC_MODEL + NC_LOCK) {
		*rcode = NC_EINVAL;
		nc_advise("NCOPN", *rcode, "%s",
			  "bad flag, did you forget to include netcdf.inc?");
		return ncid;
	}
	string = nc3zf_new_string(path, path_nbytes);
	*rcode = NC_ENOMEM;
	if (string)
		ncid = give_result(ncopen(string, *mode), rcode);
	free(string);
	give_status("NCOPN", *rcode, rcode);
	return ncid;
}

#define DEFINE_OF_FILE(name, call) \
	void name##_(const int *ncid, int *rcode) \
	{ \
		give_result(call(*ncid), rcode); \
	}

DEFINE_OF_FILE(ncclos, ncclose)
DEFINE_OF_FILE(ncsnc, ncsync)
DEFINE_OF_FILE(ncabor, ncabort)

void ncinq_(const int *ncid, int *ndims, int *nvars, int *natts, int *recdim,
	    int *rcode)
{
	*ndims = *nvars = *natts = 0;
	*recdim = -1;
	give_result(ncinquire(*ncid, ndims, nvars, natts, recdim), rcode);
	if (*recdim != -1)
		++*recdim;
}

/* Dimensions and variables. */

#define DEFINE_ID_BY_NAME(name_, call) \
	int name_##_(const int *ncid, const char *name, int *rcode, \
		     size_t name_nbytes) \
	{ \
		char *string = nc3zf_new_string(name, name_nbytes); \
		int id = -1; \
\
		if (string) \
			id = give_id(call(*ncid, string), rcode); \
		else \
			give_status(#name_, NC_ENOMEM, rcode); \
		free(string); \
		return id; \
	}

DEFINE_ID_BY_NAME(ncdid, ncdimid)
DEFINE_ID_BY_NAME(ncvid, ncvarid)

void ncdinq_(const int *ncid, const int *dimid, char *name, int *length,
	     int *rcode, size_t name_nbytes)
{
	char string[NC_MAX_NAME + 1];
	long c_length = 0;

	give_result(ncdiminq(*ncid, *dimid - 1, string, &c_length), rcode);
	nc3zf_give_text(*rcode, string, name, name_nbytes);
	*length = (int)c_length;
}

void ncvinq_(const int *ncid, const int *varid, char *name, int *type,
	     int *ndims, int *dimids, int *natts, int *rcode,
	     size_t name_nbytes)
{
	char string[NC_MAX_NAME + 1];

	*type = *ndims = *natts = 0;
	give_result(ncvarinq(*ncid, *varid - 1, string, type, ndims, NULL,
			     natts),
		    rcode);
	nc3zf_give_text(*rcode, string, name, name_nbytes);
	if (*rcode == 0)
		nc3zf_give_dimids(*ncid, *varid - 1, dimids);
}

/* Values. */

/* Whether a type is text, or a number, as it must be. */
static int check_type(nc_type type, bool is_text)
{
	if ((type == NC_CHAR) != is_text)
		return NC_ECHAR;
	return type > NC_DOUBLE ? NC_EBADTYPE : NC_NOERR;
}

static int get_var(const int *ncid, const int *varid,
		   const struct nc3zf_hyperslab *slab, bool is_text,
		   void *values)
{
	nc_type type;
	int status = nc_inq_vartype(*ncid, *varid - 1, &type);

	if (!status)
		status = check_type(type, is_text);
	return status ? status :
			nc3zf_get_var(*ncid, *varid - 1, slab, type, values);
}

void ncvgt1_(const int *ncid, const int *varid, const int *index, void *value,
	     int *rcode)
{
	const struct nc3zf_hyperslab slab = { .form = NC3Z_COMPAT_VAR1,
					      .start = index };

	give_status("NCVGT1", get_var(ncid, varid, &slab, false, value), rcode);
}

void ncvg1c_(const int *ncid, const int *varid, const int *index, char *value,
	     int *rcode, size_t value_nbytes)
{
	const struct nc3zf_hyperslab slab = { .form = NC3Z_COMPAT_VAR1,
					      .start = index };

	(void)value_nbytes;
	give_status("NCVG1C", get_var(ncid, varid, &slab, true, value), rcode);
}

void ncvgt_(const int *ncid, const int *varid, const int *start,
	    const int *count, void *values, int *rcode)
{
	const struct nc3zf_hyperslab slab = { .form = NC3Z_COMPAT_VARA,
					      .start = start,
					      .count = count };

	give_status("NCVGT", get_var(ncid, varid, &slab, false, values), rcode);
}

/* Whether 'count' has at most so many values. */
static bool fits_count(int ncid, int varid, const int *count, size_t nbytes)
{
	size_t product = 1;
	int ndims = 0;

	nc_inq_varndims(ncid, varid, &ndims);
	for (int i = 0; i < ndims; i++)
		if (count[i] == 0)
			return true;
	for (int i = 0; i < ndims; i++) {
		if (count[i] < 0 || (size_t)count[i] > nbytes / product)
			return false;
		product *= (size_t)count[i];
	}
	return product <= nbytes;
}

/*
 * Text goes to memory of the length given, and from there to the argument as
 * far as that reaches: the rest of both is blank.
 */
static char *new_blanks(int length)
{
	size_t nbytes = length > 0 ? (size_t)length : 0;
	char *blanks = malloc(nbytes + 1);

	if (blanks)
		memset(blanks, ' ', nbytes + 1);
	return blanks;
}

static void give_blanks(char *blanks, int length, char *text,
			size_t text_nbytes)
{
	size_t nbytes = length > 0 ? (size_t)length : 0;

	memset(text, ' ', text_nbytes);
	if (blanks)
		memcpy(text, blanks,
		       nbytes < text_nbytes ? nbytes : text_nbytes);
	free(blanks);
}

void ncvgtc_(const int *ncid, const int *varid, const int *start,
	     const int *count, char *text, const int *length, int *rcode,
	     size_t text_nbytes)
{
	const struct nc3zf_hyperslab slab = { .form = NC3Z_COMPAT_VARA,
					      .start = start,
					      .count = count };
	char *blanks = new_blanks(*length);
	nc_type type;
	int status = nc_inq_vartype(*ncid, *varid - 1, &type);

	if (!status)
		status = check_type(type, true);
	if (!status && !blanks)
		status = NC_ENOMEM;
	if (!status && !fits_count(*ncid, *varid - 1, count,
				   *length > 0 ? (size_t)*length : 0))
		status = NC_ESTS;
	if (!status)
		status = get_var(ncid, varid, &slab, true, blanks);
	give_blanks(blanks, *length, text, text_nbytes);
	give_status("NCVGTC", status, rcode);
}

/*
 * An imap of netCDF-2 counts bytes; one that begins with 0 stands for the
 * whole variable in memory.  To be freed; NULL of a scalar.
 */
static int new_steps(int ncid, int varid, const int *imap,
		     ptrdiff_t **steps_ret)
{
	size_t step = 1, length;
	int ndims = 0, *dimids;
	nc_type type = NC_NAT;

	*steps_ret = NULL;
	nc_inq_varndims(ncid, varid, &ndims);
	if (ndims == 0)
		return NC_NOERR;
	nc_inq_vartype(ncid, varid, &type);
	*steps_ret = calloc((size_t)ndims, sizeof(**steps_ret));
	dimids = calloc((size_t)ndims, sizeof(*dimids));
	if (*steps_ret && dimids)
		nc_inq_vardimid(ncid, varid, dimids);
	for (int i = ndims; *steps_ret && dimids && i-- > 0;) {
		nc_inq_dimlen(ncid, dimids[i], &length);
		(*steps_ret)[i] = imap[0] == 0 ?
					  (ptrdiff_t)step :
					  imap[ndims - 1 - i] / nctypelen(type);
		step *= length;
	}
	free(dimids);
	return *steps_ret && dimids ? NC_NOERR : NC_ENOMEM;
}

/* 'slab' without its imap, which is that of netCDF-2. */
static int get_mapped(const int *ncid, const int *varid,
		      const struct nc3zf_hyperslab *slab, const int *imap,
		      bool is_text, void *values)
{
	struct nc3zf_hyperslab mapped = *slab;
	ptrdiff_t *steps;
	int status = new_steps(*ncid, *varid - 1, imap, &steps);

	mapped.steps = steps;
	if (!status)
		status = get_var(ncid, varid, &mapped, is_text, values);
	free(steps);
	return status;
}

void ncvgtg_(const int *ncid, const int *varid, const int *start,
	     const int *count, const int *stride, const int *imap, void *values,
	     int *rcode)
{
	const struct nc3zf_hyperslab slab = { .form = NC3Z_COMPAT_VARM,
					      .start = start,
					      .count = count,
					      .stride = stride };

	give_status("NCVGTG",
		    get_mapped(ncid, varid, &slab, imap, false, values), rcode);
}

void ncvggc_(const int *ncid, const int *varid, const int *start,
	     const int *count, const int *stride, const int *imap, char *text,
	     int *rcode, size_t text_nbytes)
{
	const struct nc3zf_hyperslab slab = { .form = NC3Z_COMPAT_VARM,
					      .start = start,
					      .count = count,
					      .stride = stride };

	memset(text, ' ', text_nbytes);
	give_status("NCVGGC", get_mapped(ncid, varid, &slab, imap, true, text),
		    rcode);
}

/* Attributes. */

void ncainq_(const int *ncid, const int *varid, const char *name, int *type,
	     int *length, int *rcode, size_t name_nbytes)
{
	char *string = nc3zf_new_string(name, name_nbytes);

	*type = *length = 0;
	if (string)
		give_result(ncattinq(*ncid, *varid - 1, string, type, length),
			    rcode);
	else
		give_status("NCAINQ", NC_ENOMEM, rcode);
	free(string);
}

void ncanam_(const int *ncid, const int *varid, const int *attnum, char *name,
	     int *rcode, size_t name_nbytes)
{
	char string[NC_MAX_NAME + 1];

	give_result(ncattname(*ncid, *varid - 1, *attnum - 1, string), rcode);
	nc3zf_give_text(*rcode, string, name, name_nbytes);
}

static int get_att(int ncid, int varid, const char *name, void *values)
{
	nc_type type;
	int status = nc_inq_atttype(ncid, varid, name, &type);

	if (!status)
		status = check_type(type, false);
	return status ? status : nc_get_att(ncid, varid, name, values);
}

void ncagt_(const int *ncid, const int *varid, const char *name, void *values,
	    int *rcode, size_t name_nbytes)
{
	int status;

	CALL_WITH_STRING(status, name,
			 get_att(*ncid, *varid - 1, string, values));
	give_status("NCAGT", status, rcode);
}

static int get_att_text(int ncid, int varid, const char *name, char *text,
			int length)
{
	size_t nelems;
	nc_type type;
	int status = nc_inq_att(ncid, varid, name, &type, &nelems);

	if (!status)
		status = check_type(type, true);
	if (status)
		return status;
	if (length < 0 || nelems > (size_t)length)
		return NC_ESTS;
	return text ? nc_get_att_text(ncid, varid, name, text) : NC_ENOMEM;
}

void ncagtc_(const int *ncid, const int *varid, const char *name, char *text,
	     const int *length, int *rcode, size_t name_nbytes,
	     size_t text_nbytes)
{
	char *blanks = new_blanks(*length);
	int status;

	CALL_WITH_STRING(status, name,
			 get_att_text(*ncid, *varid - 1, string, blanks,
				      *length));
	give_blanks(blanks, *length, text, text_nbytes);
	give_status("NCAGTC", status, rcode);
}
