/* SPDX-License-Identifier: MIT */
/*
 * The reading calls of netCDF-3 for programs in Fortran 77, as gfortran 8 and
 * later call them: names in lower case with an underscore appended, everything
 * by reference, the lengths of character arguments as values after all other
 * arguments, a character result in memory whose address and length come first.
 *
 * nc3z_compat.h does the work.  Here IDs and indices that count from 1 become
 * such that count from 0, dimensions come last first, and text padded with
 * blanks becomes strings of C and back.
 *
 * Results are those of netcdf-fortran 4.5, down to what an argument holds after
 * a call that failed, except where that is not defined there: names and paths
 * longer than their argument, which it writes beyond its memory, are cut off,
 * and one number that does not fit its type leaves the argument as it was.
 */
#include "fortran/fortran.h"

#include <stdlib.h>
#include <string.h>

char *nc3zf_new_string(const char *text, size_t text_nbytes)
{
	const char *nul = memchr(text, '\0', text_nbytes);
	char *string;

	if (nul)
		text_nbytes = (size_t)(nul - text);
	else
		while (text_nbytes > 0 && text[text_nbytes - 1] == ' ')
			text_nbytes--;
	string = malloc(text_nbytes + 1);
	if (!string)
		return NULL;
	memcpy(string, text, text_nbytes);
	string[text_nbytes] = '\0';
	return string;
}

int nc3zf_give_text(int status, const char *string, char *text,
		    size_t text_nbytes)
{
	size_t nbytes;

	memset(text, ' ', text_nbytes);
	if (status)
		return status;
	/* an empty name is given, and asked for, as a NUL */
	nbytes = *string ? strlen(string) : 1;
	memcpy(text, string, nbytes < text_nbytes ? nbytes : text_nbytes);
	return NC_NOERR;
}

int nc3zf_give_length(int status, size_t length, int *length_ret)
{
	if (!status)
		*length_ret = (int)length;
	return status;
}

int nc3zf_give_id(int status, int *id_ret)
{
	if (!status)
		++*id_ret;
	return status;
}

/* The library, and files. */

void nf_inq_libvers_(char *text, size_t text_nbytes)
{
	nc3zf_give_text(NC_NOERR, nc_inq_libvers(), text, text_nbytes);
}

void nf_strerror_(char *text, size_t text_nbytes, const int *status)
{
	nc3zf_give_text(NC_NOERR, nc_strerror(*status), text, text_nbytes);
}

int nf_issyserr_(const int *status)
{
	return NC_ISSYSERR(*status);
}

int nf_open_(const char *path, const int *mode, int *ncid, size_t path_nbytes)
{
	int status;

	CALL_WITH_STRING(status, path, nc_open(string, *mode, ncid));
	return status;
}

/* The size is a hint that has no use here. */
int nf__open_(const char *path, const int *mode, const int *chunksize,
	      int *ncid, size_t path_nbytes)
{
	(void)chunksize;
	return nf_open_(path, mode, ncid, path_nbytes);
}

int nf_inq_path_(const int *ncid, int *pathlen, char *path, size_t path_nbytes)
{
	size_t nbytes = 0;
	char *string = NULL;
	int status = nc_inq_path(*ncid, &nbytes, NULL);

	if (!status) {
		string = malloc(nbytes + 1);
		status = string ? nc_inq_path(*ncid, NULL, string) : NC_ENOMEM;
	}
	status = nc3zf_give_text(status, string, path, path_nbytes);
	free(string);
	return nc3zf_give_length(
		status, nbytes < path_nbytes ? nbytes : path_nbytes, pathlen);
}

#define DEFINE_OF_FILE(name) \
	int nf_##name##_(const int *ncid) \
	{ \
		return nc_##name(*ncid); \
	}

#define DEFINE_NUMBER_OF_FILE(name) \
	int nf_inq_##name##_(const int *ncid, int *value) \
	{ \
		return nc_inq_##name(*ncid, value); \
	}

DEFINE_OF_FILE(sync)
DEFINE_OF_FILE(abort)
DEFINE_OF_FILE(close)
DEFINE_NUMBER_OF_FILE(format)
DEFINE_NUMBER_OF_FILE(ndims)
DEFINE_NUMBER_OF_FILE(nvars)
DEFINE_NUMBER_OF_FILE(natts)

int nf_inq_unlimdim_(const int *ncid, int *unlimdimid)
{
	int status = nc_inq_unlimdim(*ncid, unlimdimid);

	return !status && *unlimdimid == -1 ? status :
					      nc3zf_give_id(status, unlimdimid);
}

int nf_inq_(const int *ncid, int *ndims, int *nvars, int *natts,
	    int *unlimdimid)
{
	int status = nc_inq(*ncid, ndims, nvars, natts, NULL);

	return status ? status : nf_inq_unlimdim_(ncid, unlimdimid);
}

/* Dimensions. */

int nf_inq_dimid_(const int *ncid, const char *name, int *dimid,
		  size_t name_nbytes)
{
	int c_dimid = -1, status;

	CALL_WITH_STRING(status, name, nc_inq_dimid(*ncid, string, &c_dimid));
	*dimid = status == NC_EBADDIM ? -1 : c_dimid + 1;
	return status;
}

int nf_inq_dim_(const int *ncid, const int *dimid, char *name, int *length,
		size_t name_nbytes)
{
	char string[NC_MAX_NAME + 1];
	size_t c_length;
	int status = nc_inq_dim(*ncid, *dimid - 1, string, &c_length);

	nc3zf_give_text(status, string, name, name_nbytes);
	return status ? status : nc3zf_give_length(status, c_length, length);
}

int nf_inq_dimname_(const int *ncid, const int *dimid, char *name,
		    size_t name_nbytes)
{
	int length;

	return nf_inq_dim_(ncid, dimid, name, &length, name_nbytes);
}

int nf_inq_dimlen_(const int *ncid, const int *dimid, int *length)
{
	size_t c_length = 0;
	int status = nc_inq_dimlen(*ncid, *dimid - 1, &c_length);

	*length = (int)c_length;
	return status;
}

/* Variables. */

int nf_inq_varid_(const int *ncid, const char *name, int *varid,
		  size_t name_nbytes)
{
	int status;

	CALL_WITH_STRING(status, name, nc_inq_varid(*ncid, string, varid));
	return nc3zf_give_id(status, varid);
}

int nf_inq_varname_(const int *ncid, const int *varid, char *name,
		    size_t name_nbytes)
{
	char string[NC_MAX_NAME + 1];

	return nc3zf_give_text(nc_inq_varname(*ncid, *varid - 1, string),
			       string, name, name_nbytes);
}

#define DEFINE_NUMBER_OF_VAR(name) \
	int nf_inq_##name##_(const int *ncid, const int *varid, int *value) \
	{ \
		return nc_inq_##name(*ncid, *varid - 1, value); \
	}

DEFINE_NUMBER_OF_VAR(vartype)
DEFINE_NUMBER_OF_VAR(varndims)
DEFINE_NUMBER_OF_VAR(varnatts)

int nc3zf_give_dimids(int ncid, int varid, int *dimids)
{
	int ndims = 0, status = nc_inq_varndims(ncid, varid, &ndims);

	if (!status)
		status = nc_inq_vardimid(ncid, varid, dimids);
	for (int i = 0, j = ndims - 1; !status && i <= j; i++, j--) {
		int dimid = dimids[i];

		dimids[i] = dimids[j] + 1;
		dimids[j] = dimid + 1;
	}
	return status;
}

int nf_inq_vardimid_(const int *ncid, const int *varid, int *dimids)
{
	dimids[0] = 0;
	return nc3zf_give_dimids(*ncid, *varid - 1, dimids);
}

int nf_inq_var_(const int *ncid, const int *varid, char *name, int *type,
		int *ndims, int *dimids, int *natts, size_t name_nbytes)
{
	*type = *ndims = *natts = 0;
	nc_inq_var(*ncid, *varid - 1, NULL, type, ndims, NULL, natts);
	nf_inq_vardimid_(ncid, varid, dimids);
	return nf_inq_varname_(ncid, varid, name, name_nbytes);
}

/* Attributes. */

int nf_inq_att_(const int *ncid, const int *varid, const char *name, int *type,
		int *length, size_t name_nbytes)
{
	size_t c_length = 0;
	int status;

	CALL_WITH_STRING(status, name,
			 nc_inq_att(*ncid, *varid - 1, string, type,
				    &c_length));
	return nc3zf_give_length(status, c_length, length);
}

int nf_inq_atttype_(const int *ncid, const int *varid, const char *name,
		    int *type, size_t name_nbytes)
{
	int length;

	return nf_inq_att_(ncid, varid, name, type, &length, name_nbytes);
}

int nf_inq_attlen_(const int *ncid, const int *varid, const char *name,
		   int *length, size_t name_nbytes)
{
	int type;

	return nf_inq_att_(ncid, varid, name, &type, length, name_nbytes);
}

int nf_inq_attid_(const int *ncid, const int *varid, const char *name,
		  int *attnum, size_t name_nbytes)
{
	int status;

	CALL_WITH_STRING(status, name,
			 nc_inq_attid(*ncid, *varid - 1, string, attnum));
	return nc3zf_give_id(status, attnum);
}

int nf_inq_attname_(const int *ncid, const int *varid, const int *attnum,
		    char *name, size_t name_nbytes)
{
	char string[NC_MAX_NAME + 1];

	return nc3zf_give_text(nc_inq_attname(*ncid, *varid - 1, *attnum - 1,
					      string),
			       string, name, name_nbytes);
}

/* Values. */

static int get_att(const int *ncid, const int *varid, const char *name,
		   size_t name_nbytes, nc_type memtype, void *values)
{
	int status;

	CALL_WITH_STRING(status, name,
			 nc3z_compat_get_att(*ncid, *varid - 1, string, memtype,
					     values));
	return status;
}

static size_t *reverse_sizes(size_t *to, const int *from, int ndims, int base)
{
	for (int i = 0; from && i < ndims; i++)
		to[i] = (size_t)((ptrdiff_t)from[ndims - 1 - i] - base);
	return from ? to : NULL;
}

static ptrdiff_t *reverse_steps(ptrdiff_t *to, const int *from, int ndims)
{
	for (int i = 0; from && i < ndims; i++)
		to[i] = from[ndims - 1 - i];
	return from ? to : NULL;
}

int nc3zf_get_var(int ncid, int varid, const struct nc3zf_hyperslab *slab,
		  nc_type memtype, void *values)
{
	struct nc3z_compat_hyperslab to = { .form = slab->form };
	int ndims = 0, status = NC_ENOMEM;
	size_t *sizes = NULL;
	ptrdiff_t *steps = NULL;

	nc_inq_varndims(ncid, varid, &ndims);
	if (ndims > 0) {
		sizes = calloc((size_t)ndims, 2 * sizeof(*sizes));
		steps = calloc((size_t)ndims, 2 * sizeof(*steps));
	}
	if (sizes && steps) {
		to.start = reverse_sizes(sizes, slab->start, ndims, 1);
		to.count = reverse_sizes(sizes + ndims, slab->count, ndims, 0);
		to.stride = reverse_steps(steps, slab->stride, ndims);
		to.imap = slab->steps ? slab->steps :
					reverse_steps(steps + ndims, slab->imap,
						      ndims);
	}
	if (ndims == 0 || (sizes && steps))
		status = nc3z_compat_get(ncid, varid, &to, memtype, values);
	free(sizes);
	free(steps);
	return status;
}

/*
 * One getter.  'place' is the arguments between variable and values, 'kind'
 * says what comes after the values and what is done to them before; of one
 * value that is text only the first character is used, however long it is.
 */
#define DEFINE_GET_VAR(form, type, ctype, memtype, kind, place, ...) \
	int nf_get_##form##_##type##_(const int *ncid, const int *varid, \
				      place ctype *values AFTER_##kind) \
	{ \
		BEFORE_##kind; \
		return nc3zf_get_var(*ncid, *varid - 1, \
				     &(struct nc3zf_hyperslab){ __VA_ARGS__ }, \
				     memtype, values); \
	}

#define DEFINE_GET_ATT(type, ctype, memtype, kind) \
	int nf_get_att_##type##_(const int *ncid, const int *varid, \
				 const char *name, ctype *values, \
				 size_t name_nbytes AFTER_##kind) \
	{ \
		BEFORE_##kind; \
		return get_att(ncid, varid, name, name_nbytes, memtype, \
			       values); \
	}

#define AFTER_NUMBER
#define BEFORE_NUMBER
#define AFTER_CHARACTER
#define BEFORE_CHARACTER *values = ' '
#define AFTER_TEXT , size_t text_nbytes
#define BEFORE_TEXT memset(values, ' ', text_nbytes)

#define START const int *start,
#define COUNT START const int *count,
#define STRIDE COUNT const int *stride,
#define IMAP STRIDE const int *imap,

/* All getters of a type; 'one' is the kind of a single value. */
#define DEFINE_GETTERS(type, ctype, memtype, kind, one) \
	DEFINE_GET_ATT(type, ctype, memtype, kind) \
	DEFINE_GET_VAR(var, type, ctype, memtype, kind, , \
		       .form = NC3Z_COMPAT_VAR) \
	DEFINE_GET_VAR(var1, type, ctype, memtype, one, START, \
		       .form = NC3Z_COMPAT_VAR1, .start = start) \
	DEFINE_GET_VAR(vara, type, ctype, memtype, kind, COUNT, \
		       .form = NC3Z_COMPAT_VARA, .start = start, \
		       .count = count) \
	DEFINE_GET_VAR(vars, type, ctype, memtype, kind, STRIDE, \
		       .form = NC3Z_COMPAT_VARS, .start = start, \
		       .count = count, .stride = stride) \
	DEFINE_GET_VAR(varm, type, ctype, memtype, kind, IMAP, \
		       .form = NC3Z_COMPAT_VARM, .start = start, \
		       .count = count, .stride = stride, .imap = imap)

DEFINE_GETTERS(text, char, NC_CHAR, TEXT, CHARACTER)
DEFINE_GETTERS(int1, signed char, NC_BYTE, NUMBER, NUMBER)
DEFINE_GETTERS(int2, short, NC_SHORT, NUMBER, NUMBER)
DEFINE_GETTERS(int, int, NC_INT, NUMBER, NUMBER)
DEFINE_GETTERS(int64, long long, NC_INT64, NUMBER, NUMBER)
DEFINE_GETTERS(real, float, NC_FLOAT, NUMBER, NUMBER)
DEFINE_GETTERS(double, double, NC_DOUBLE, NUMBER, NUMBER)
